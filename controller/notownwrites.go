package controller

import (
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/thinformer/thinformer/internal/observe"
	"github.com/thinformer/thinformer/rest"
)

// NotOwnWrites makes the controller ignore the events of a For or Owns by which a
// successful reconcile sees its own writes:
//
//	controller.NotOwnWrites(controller.For(c, widgets))
//
// An update is ignored for a request if all of this holds: a watch has delivered it; the
// UID and the epoch are those of the write; the new version is one that a write with the
// ctx of the request's last reconcile has returned; and the old version is the one that
// the reconcile has read by [Get], or one that an earlier write of it has returned. The
// creation of an object that the reconcile has created is ignored as well. Deletions,
// events after a failed reconcile and events for other requests are not ignored.
//
// A write whose version the reconcile has read, or the informer had before the write was
// sent, has changed nothing and is no own write. There is one case that cannot be detected:
// another client updates the object after Get, the informer is late, and then a patch
// without a resourceVersion changes nothing. It returns the version of the other client,
// whose update is ignored. Update with the object that was read, or set resourceVersion in
// the patch, to exclude it: then the server rejects the write with a conflict.
//
// Do not use it for a reconcile that continues when its own write comes back. Without
// Get of the written object, updates are not ignored. If it is called during Run, events
// that precede the call, and some that follow it, are not ignored. The informer calls
// predicates, filters and the mapping for the change before it notifies any handler. It
// returns w.
func NotOwnWrites[T rest.Object](w *Watch[T]) *Watch[T] {
	c := w.c
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r := c.current; {
	case w.mapping != nil && !w.viaOwner:
		c.failLocked(fmt.Errorf("%w: %s: NotOwnWrites was called for Watches: it is for For and Owns", ErrOptions, c.name))
	case w.ignoreOwn == nil:
		w.ignoreOwn = func(r *run) (remove func(), err error) { return w.observeOwn(r, nil) }
		if h := w.handler; h != nil && r != nil && h.run == r && r.started {
			r.goroutines.Go(func() { w.switchToOwn(h) })
		}
	}
	return w
}

// observeOwn makes the tracker enqueue the requests of the watch's changes, until remove
// is called. It first passes each change to seen, if that is not nil.
func (w *Watch[T]) observeOwn(r *run, seen func(old, new any, deleted bool)) (remove func(), err error) {
	t := r.track()
	s, err := t.addSource(w.inf, w.inf, w.inf.State().Name)
	if err != nil {
		return nil, err
	}
	own := &ownWatch{requests: func(old, new any, deleted bool) []Request {
		if seen != nil {
			seen(old, new, deleted)
		}
		return w.requestsOf(r, old, new, deleted)
	}}
	s.setWatches(func(all []*ownWatch) []*ownWatch { return append(all, own) })
	w.inf.Observe(func(*observe.Event) {})() // waits for a batch that the tracker has not observed
	return func() {
		s.setWatches(func(all []*ownWatch) []*ownWatch {
			return slices.DeleteFunc(all, func(other *ownWatch) bool { return other == own })
		})
	}, nil
}

// setWatches changes a copy of the watches.
func (s *trackedSource) setWatches(change func([]*ownWatch) []*ownWatch) {
	s.tracker.mu.Lock()
	defer s.tracker.mu.Unlock()
	if s.watches = change(slices.Clone(s.watches)); len(s.watches) == 0 {
		s.watches = nil
	}
	s.source.MayBeOwn = s.watches != nil
	s.mayBeOwn.Store(s.watches != nil)
}

// requestsOf returns the requests of a change that the predicates and filters select,
// each once. If one of these functions panics, the change is lost, as in a handler.
func (w *Watch[T]) requestsOf(r *run, old, new any, deleted bool) (requests []Request) {
	defer func() {
		if p := recover(); p != nil {
			requests = nil
			r.logger.Error("A predicate or mapping panicked: the change is lost", "informer", w.inf.State().Name, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	c := change[T]{new: new.(T), deleted: deleted}
	if old != nil && !deleted {
		c.old, c.updated = old.(T), true
	}
	if !w.selects(c) {
		return nil
	}
	w.eachRequest(c, func(req Request) { requests = append(requests, req) })
	return requests
}
