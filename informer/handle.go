package informer

import (
	"context"
	"sync"
)

// A handle is what one user has of an informer that others may use as well. An
// informer that New has made has none.
type handle struct {
	// letGo tells the factory that there is one user less.
	letGo func()

	mu       sync.Mutex
	released bool
	// registrations are the user's handlers that have not been removed.
	registrations map[*Registration]struct{}
}

// Release says that the caller of [For] is done with its informer: the handlers
// that were added through it are removed, and if it was the informer's last user,
// the informer stops and lets go of its objects. Release does not wait for that,
// so a callback may call it. The handlers' Done tells when the last callback has
// ended. Again does no harm.
//
// Afterwards the informer is not to be used. What New has made is not released:
// it stops with Run.
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
	h.letGo()
}

// usable is why nothing can be registered with the informer.
func (i *SharedInformer[T]) usable() error {
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

// keep remembers a handler until it is removed.
func (h *handle) keep(r *Registration) (*Registration, error) {
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
	kept := &Registration{synced: r.synced, done: r.done}
	kept.remove = func() {
		r.remove()
		h.drop(kept)
	}
	if h.registrations == nil {
		h.registrations = map[*Registration]struct{}{}
	}
	h.registrations[kept] = struct{}{}
	return kept, nil
}

func (h *handle) drop(r *Registration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.registrations, r)
}

// managed is what a factory asks of an informer of any type.
type managed interface {
	AnyInformer
	WaitForSync(context.Context) error
	run(context.Context) error
	// wrong is why the informer cannot be run.
	wrong() error
	free()
}

func (i *SharedInformer[T]) run(ctx context.Context) error { return i.shared.runOnce(ctx) }

func (i *SharedInformer[T]) wrong() error { return i.shared.err }

// free lets go of the objects, for those who keep an informer that they have
// released. It has stopped.
func (i *SharedInformer[T]) free() {
	_ = i.shared.store.Replace(func(func(T, error) bool) {}, nil) // nothing in it can fail
}
