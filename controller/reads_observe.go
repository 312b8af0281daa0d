package controller

import (
	"runtime/debug"
	"slices"
	"time"

	"github.com/thinformer/thinformer/controller/internal/reads"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/observe"
	"github.com/thinformer/thinformer/rest"
)

// observe enqueues the requests that depend on a change. The goroutine of the informer
// calls it. The functions of the user are called without a lock.
func (s *trackedSource) observe(e *observe.Event) {
	t := s.tracker
	t.mu.Lock()
	watches, indexes := s.watches, s.source.ReadIndexes()
	idle := t.stopped || s.gone || watches == nil && !s.source.Read()
	if !idle {
		t.observing.Add(1)
		s.running.Add(1)
	}
	t.mu.Unlock()
	if idle {
		return
	}
	defer t.observing.Done()
	defer s.running.Add(-1)
	isUpdate := e.Old != nil && !e.Deleted
	matches := s.match(indexes, e.Key, e.Old, e.New, e.Deleted)
	var mapped []Request
	for _, w := range watches {
		mapped = append(mapped, w.requests(e.Old, e.New, e.Deleted)...)
	}
	if len(matches)+len(mapped) == 0 && watches == nil {
		return
	}
	accepted := !isUpdate || len(mapped) > 0 || s.accepts(e.Old, e.New, matches)
	change := s.changeOf(e, watches != nil)
	t.mu.Lock()
	enqueue := t.graph.Apply(nil, change, matches, accepted, mapped)
	t.mu.Unlock()
	cause := ""
	if t.run.tracesQueued() {
		cause = change.Cause.String()
	}
	for _, req := range enqueue {
		t.run.queueKey(req, ReasonChanged, cause)
	}
}

// changeOf returns a change. own is set if a watch ignores own writes.
func (s *trackedSource) changeOf(e *observe.Event, own bool) *reads.Change {
	c := &reads.Change{Source: s, Key: e.Key, Object: e.New, Revision: e.Revision}
	c.Cause = reads.Cause{Time: time.Now(), Source: s.source.Name, Key: e.Key, Event: reads.EventOf(e.Old != nil, e.Deleted)}
	obj := e.New.(rest.Object)
	c.UID, c.New, c.Deleted = string(obj.GetUID()), obj.GetResourceVersion(), e.Deleted
	if !own || e.Deleted || e.Listed {
		return c
	}
	c.MayBeOwn, c.Epoch = true, e.Epoch
	if old, ok := e.Old.(rest.Object); ok {
		c.OldUID, c.Old = string(old.GetUID()), old.GetResourceVersion()
	}
	return c
}

// match returns the nodes that a change affects. old is nil for a creation; for a
// deletion, new is the last state.
func (s *trackedSource) match(indexes []*reads.Index, key string, old, new any, deleted bool) []reads.Match[Request] {
	var values []reads.Values
	for _, index := range indexes {
		v := reads.Values{Index: index}
		if old != nil {
			v.Old = s.valuesOf(index, old)
		}
		if !deleted {
			v.New = s.valuesOf(index, new)
		}
		values = append(values, v)
	}
	t := s.tracker
	t.mu.Lock()
	defer t.mu.Unlock()
	return s.source.Match(nil, key, old != nil && !deleted, values)
}

// valuesOf returns the index values of an object, none if the index function panics:
// then the object is not in the index either.
func (s *trackedSource) valuesOf(index *reads.Index, obj any) (values []string) {
	defer func() {
		if recover() != nil { // the indexer logs it
			values = nil
		}
	}()
	return index.Values(obj)
}

// updateFilter is a source of keys, or of reads, with predicates.
type updateFilter interface {
	accepts(old, new any) bool
}

// accepts reports whether the predicates of any registration of the informer accept an
// update. They are not called if no match needs them.
func (s *trackedSource) accepts(old, new any, matches []reads.Match[Request]) bool {
	if !slices.ContainsFunc(matches, func(m reads.Match[Request]) bool { return !m.Always }) {
		return true
	}
	for _, w := range s.tracker.run.c.sources() {
		if filter, ok := w.(updateFilter); ok && informer.SameInformer(w.informer(), s.informer) && s.filterAccepts(filter, old, new) {
			return true
		}
	}
	return false
}

// filterAccepts calls predicates. A panic counts as accepted. It is logged once for each
// informer.
func (s *trackedSource) filterAccepts(filter updateFilter, old, new any) (accepted bool) {
	defer func() {
		if p := recover(); p != nil {
			accepted = true
			if !s.panicked.Swap(true) {
				s.tracker.run.logger.Error("A predicate panicked: the update is reconciled. Further panics for this informer are not logged",
					"informer", s.source.Name, "panic", p, "stack", string(debug.Stack()))
			}
		}
	}()
	return filter.accepts(old, new)
}

// covers implements readTracker.
func (t *tracker) covers(inf informer.AnyInformer, old, new any, deleted bool, req Request) bool {
	s := t.sourceOf(inf)
	if s == nil {
		return false
	}
	t.mu.Lock()
	own, indexes := s.watches != nil, s.source.ReadIndexes()
	t.mu.Unlock()
	if own {
		return false // own writes that this watch does not ignore must enqueue the request
	}
	obj := new.(rest.Object)
	key := keyOf(obj.GetNamespace(), obj.GetName())
	matches := s.match(indexes, key, old, new, deleted)
	change := &reads.Change{Source: s, Key: key, Object: new, Deleted: deleted}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.graph.Covers(req, change, matches)
}

// epoch returns the epoch of a namespace's versions.
func (s *trackedSource) epoch(namespace string) int {
	_, epoch := s.informer.VersionIn(namespace)
	return epoch
}
