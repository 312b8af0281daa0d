package controller

import (
	"context"

	"github.com/thinformer/thinformer/informer"
)

// readSource is an informer that reconciles read, without a mapping to keys.
type readSource struct {
	inf informer.AnyInformer
	// wait waits for the first list.
	wait func(context.Context) error
}

func addRead[T any](c *Controller, from Readable[T], predicates []Predicate[T]) {
	inf := from.Observed()
	s := &readSource{inf: inf, wait: func(context.Context) error { return nil }}
	if waits, ok := inf.(Informer); ok {
		s.wait = waits.WaitForSync
	}
	c.add(s)
}

func (s *readSource) informer() informer.AnyInformer        { return s.inf }
func (s *readSource) needsFor() bool                        { return false }
func (s *readSource) waitForSync(ctx context.Context) error { return s.wait(ctx) }
func (s *readSource) attach(r *run) (attachedSource, error) {
	synced, done := make(chan struct{}), make(chan struct{})
	close(synced)
	return attachedSource{name: s.inf.State().Name, synced: synced, remove: func() { close(done) }, done: done}, nil
}
