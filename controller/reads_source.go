package controller

import (
	"context"
	"errors"
	"time"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/observe"
	"github.com/thinformer/thinformer/rest"
)

// readSource is an informer that reconciles read, without a mapping to keys.
type readSource struct {
	inf observedInformer
	// update is the result of the predicates.
	update func(old, new any) bool
}

// addRead registers an informer, until remove is called.
func addRead[T any](c *Controller, inf observedInformer, predicates []Predicate[T]) (remove func()) {
	s := &readSource{inf: inf, update: func(old, new any) bool {
		for _, p := range predicates {
			if !p(old.(T), new.(T)) {
				return false
			}
		}
		return true
	}}
	c.add(s)
	return func() { c.removeSource(s) }
}

var _ keySource = (*readSource)(nil)

func (s *readSource) informer() informer.AnyInformer        { return s.inf }
func (s *readSource) needsFor() bool                        { return false }
func (s *readSource) waitForSync(ctx context.Context) error { return s.inf.WaitForSync(ctx) }
func (s *readSource) accepts(old, new any) bool             { return s.update(old, new) }

// attach makes the gate observe the informer. Tracked reads have their own observer.
func (s *readSource) attach(r *run) (attachedSource, error) {
	gate := r.gate.informerOf(s.inf)
	remove := s.inf.Observe(func(e *observe.Event) { gate.observe(e.New.(rest.Object)) })
	ctx, cancel := context.WithCancel(r.ctx)
	synced, done := make(chan struct{}), make(chan struct{})
	close(synced)
	go func() {
		defer close(done)
		defer remove()
		for s.waitForEnd(ctx) {
		}
	}()
	return attachedSource{name: s.inf.State().Name, synced: synced, remove: cancel, done: done}, nil
}

// emptySetDelay is how long to wait if the informer has no namespace, in which case no
// wait for a version shows its end.
const emptySetDelay = time.Second

// waitForEnd waits for the end of the informer or of ctx. It returns true if the wait
// has ended for another reason: a new epoch, or a change of the informer's namespaces.
func (s *readSource) waitForEnd(ctx context.Context) (again bool) {
	err := s.inf.WaitForVersion(ctx, unreachableVersion)
	switch {
	case errors.Is(err, informer.ErrNewEpoch), errors.Is(err, informer.ErrNotCovered):
		return true
	case err != nil:
		return false
	}
	pause := time.NewTimer(emptySetDelay)
	defer pause.Stop()
	select {
	case <-pause.C:
		return true
	case <-ctx.Done():
		return false
	}
}
