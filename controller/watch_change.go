package controller

import (
	"slices"

	"github.com/thinformer/thinformer/controller/internal/reads"
)

// change is a change of an object.
type change[T any] struct {
	// old is set for an update. For a deletion, new is the last state.
	old, new         T
	updated, deleted bool
}

// states returns the change without its type. old is nil unless the object was updated.
func (c change[T]) states() (old, new any, deleted bool) {
	if c.updated {
		old = c.old
	}
	return old, c.new, c.deleted
}

// selects reports whether the predicates and filters select a change.
func (w *Watch[T]) selects(c change[T]) bool {
	switch {
	case c.updated:
		return w.accepts(c.old, c.new)
	case c.deleted:
		return w.acceptsDelete(c.new)
	}
	return w.acceptsCreate(c.new)
}

// accepts reports whether the predicates accept an update. old and new are of type T.
func (w *Watch[T]) accepts(old, new any) bool {
	for _, p := range w.predicates {
		if !p(old.(T), new.(T)) {
			return false
		}
	}
	return true
}

// enqueue enqueues the requests of a change that the handler has received.
func (w *Watch[T]) enqueue(h *watchHandler, c change[T], reason Reason) {
	r := h.run
	if reason == ReasonChanged && h.ignores(c.states()) || !w.selects(c) {
		return
	}
	cause := ""
	if r.tracesQueued() {
		cause = w.causeOf(c, reason).String()
	}
	w.eachRequest(c, func(req Request) {
		if reason == ReasonInitial || !w.isCovered(r, c, req) {
			r.queueKey(req, reason, cause)
		}
	})
}

// causeOf describes a change.
func (w *Watch[T]) causeOf(c change[T], reason Reason) reads.Cause {
	cause := reads.Cause{Source: w.inf.State().Name, Key: keyOf(c.new.GetNamespace(), c.new.GetName())}
	if reason == ReasonChanged {
		cause.Event = reads.EventOf(c.updated, c.deleted)
	}
	return cause
}

// isCovered reports whether tracked reads of the request enqueue it for the change. If
// not, it records the change as the cause.
func (w *Watch[T]) isCovered(r *run, c change[T], req Request) bool {
	t := r.tracking()
	if t == nil {
		return false
	}
	old, new, deleted := c.states()
	if t.covers(w.inf, old, new, deleted, req) {
		return true
	}
	t.note(w.inf, old, new, deleted, req)
	return false
}

// eachRequest calls yield with each request of a change once. The two states of an update
// often map to the same key. Queued twice, it could be reconciled twice, because a worker
// may take it before it is queued again.
func (w *Watch[T]) eachRequest(c change[T], yield func(Request)) {
	if w.isFor() {
		yield(Request{Namespace: c.new.GetNamespace(), Name: c.new.GetName()})
		return
	}
	requests := w.mapping(c.new)
	if c.updated {
		requests = slices.Concat(w.mapping(c.old), requests)
	}
	if len(requests) > 8 { // a map is faster than comparisons
		seen := make(map[Request]bool, len(requests))
		for _, req := range requests {
			if !seen[req] {
				seen[req] = true
				yield(req)
			}
		}
		return
	}
	for i, req := range requests {
		if !slices.Contains(requests[:i], req) {
			yield(req)
		}
	}
}
