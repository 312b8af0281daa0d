package informer

import (
	"context"
	"sync"
)

// A handle is one user's reference to an informer of a factory. An informer that
// New returned has none.
type handle struct {
	// onRelease removes the user from the factory.
	onRelease func()

	mu       sync.Mutex
	released bool
	// registrations are the user's handlers that have not been removed.
	registrations map[*Registration]struct{}
}

// Release ends the use of an informer that [For] returned. It removes the handlers
// that were added through this informer. After the last user's Release the informer
// stops and drops its objects. Release does not wait for that, so a callback may
// call it. The Done channel of each handler is closed when its last callback has
// returned. Release is idempotent.
//
// Do not use the informer after Release. Release has no effect on an informer that
// New returned; it stops with the context of Run.
func (i *SharedInformer[T]) Release() {
	if i.handle != nil {
		i.handle.release()
	}
}

func (h *handle) release() {
	h.mu.Lock()
	if h.released {
		h.mu.Unlock()
		return
	}
	h.released = true
	registrations := h.registrations
	h.registrations = nil
	h.mu.Unlock()
	for r := range registrations {
		r.remove()
	}
	h.onRelease()
}

// checkUsable returns the error that prevents registrations.
func (i *SharedInformer[T]) checkUsable() error {
	if i.handle != nil && i.handle.wasReleased() {
		return ErrReleased
	}
	return i.shared.err
}

func (h *handle) wasReleased() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.released
}

// track records a handler until it is removed.
func (h *handle) track(r *Registration) (*Registration, error) {
	if h == nil {
		return r, nil
	}
	h.mu.Lock()
	if h.released {
		h.mu.Unlock()
		r.Remove()
		return nil, ErrReleased
	}
	defer h.mu.Unlock()
	tracked := &Registration{synced: r.synced, done: r.done}
	tracked.remove = func() {
		r.remove()
		h.untrack(tracked)
	}
	if h.registrations == nil {
		h.registrations = map[*Registration]struct{}{}
	}
	h.registrations[tracked] = struct{}{}
	return tracked, nil
}

func (h *handle) untrack(r *Registration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.registrations, r)
}

// factoryInformer is the part of an informer that a factory needs, without the type.
type factoryInformer interface {
	AnyInformer
	WaitForSync(context.Context) error
	run(context.Context) error
	// argumentErr returns the error in the arguments of New.
	argumentErr() error
	// Check returns all problems that keep the informer from running. It may call
	// the user's functions.
	Check() error
	dropObjects()
}

func (i *SharedInformer[T]) run(ctx context.Context) error { return i.shared.runOnce(ctx) }

func (i *SharedInformer[T]) argumentErr() error { return i.shared.err }

// dropObjects empties the store of a stopped informer, for users that keep a
// reference to it after Release.
func (i *SharedInformer[T]) dropObjects() {
	_ = i.shared.store.Replace(func(func(T, error) bool) {}, nil) // an empty list cannot fail
}
