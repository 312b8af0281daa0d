package informer

import (
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/reflector"
)

// scratch is what handleDeltas works with from one batch to the next. Only the
// goroutine of processLoop touches it.
type scratch[T any] struct {
	changes       []indexer.Change[T]
	notifications []notification[T]
	// synced: the end of the initial list has been told.
	synced bool
}

// keptScratch is how many changes the buffers may keep room for. The initial
// list needs more, once.
const keptScratch = 4 * maxBatch

// handleDeltas is what a popped batch comes to: one change of the store, then
// one line in the handlers' log for each object that is another one now, then
// whoever waits for a version is told. In this order: who has been told of a
// change finds it in the store.
func (s *shared[T]) handleDeltas(deltas []deltafifo.Delta[T], batch deltafifo.Batch) error {
	before := s.store.Version()
	defer s.applied(len(deltas))()
	changes := s.changesOf(deltas)
	s.guard.storing(changes)
	var err error
	if len(changes) == 0 {
		s.store.Bookmark(batch.Version)
	} else {
		err = s.store.Apply(changes, batch.Version)
	}
	if told := s.notificationsOf(deltas, batch); len(told) > 0 {
		s.stored(told)
		s.processor.distribute(told, s.store.Snapshot())
	}
	s.versions.advance(before, batch, func(version string) bool { return s.brought(deltas, batch, version) })
	s.scratch.release()
	return err
}

func (s *shared[T]) changesOf(deltas []deltafifo.Delta[T]) []indexer.Change[T] {
	changes := s.scratch.changes[:0]
	for i := range deltas {
		d := &deltas[i]
		changes = append(changes, indexer.Change[T]{Key: d.Key, Object: d.Object, Delete: d.Type == deltafifo.Deleted})
	}
	s.scratch.changes = changes
	return changes
}

// notificationsOf says what the changes mean, now that the store has answered
// what was there before each.
func (s *shared[T]) notificationsOf(deltas []deltafifo.Delta[T], batch deltafifo.Batch) []notification[T] {
	told := s.scratch.notifications[:0]
	for i := range s.scratch.changes {
		c := &s.scratch.changes[i]
		n := notification[T]{key: c.Key, initial: batch.InInitialList}
		switch {
		case c.Delete && !c.Existed:
			continue
		case c.Delete:
			n.kind, n.old, n.new, n.finalStateUnknown = deleted, c.Old, c.Object, deltas[i].FinalStateUnknown
		case !c.Existed:
			n.kind, n.new = added, c.Object
		case s.repeated(c.Old, c.Object):
			continue
		default:
			n.kind, n.old, n.new = updated, c.Old, c.Object
		}
		told = append(told, n)
	}
	if batch.Replace && !s.scratch.synced {
		s.scratch.synced = true
		told = append(told, notification[T]{kind: synced})
	}
	s.scratch.notifications = told
	return told
}

// repeated reports whether an event has told what was known: servers and
// proxies that send one twice are no news to handlers. UID and version alone do
// not say so: a server whose versions have gone back gives them out again.
func (s *shared[T]) repeated(stored, object T) bool {
	uid, version := s.parts.MetaFunc(object)
	if version == "" {
		return false
	}
	storedUID, storedVersion := s.parts.MetaFunc(stored)
	return version == storedVersion && uid == storedUID && sameContent(reflect.ValueOf(stored), reflect.ValueOf(object))
}

// release forgets the objects, and buffers that have grown large.
func (s *scratch[T]) release() {
	clear(s.changes)
	if cap(s.changes) > keptScratch {
		s.changes = nil
	}
	clear(s.notifications)
	if cap(s.notifications) > keptScratch {
		s.notifications = nil
	}
}

// brought reports whether a batch has brought exactly that version: for
// versions of which nobody can say which is newer.
func (s *shared[T]) brought(deltas []deltafifo.Delta[T], batch deltafifo.Batch, version string) bool {
	for _, m := range batch.Markers {
		if m.Version == version {
			return true
		}
	}
	for i := range deltas {
		if _, objects := s.parts.MetaFunc(deltas[i].Object); objects == version {
			return true
		}
	}
	return false
}

// applied tells the trace of a batch, when what it returns is called.
func (s *shared[T]) applied(changes int) func() {
	if s.options.Trace == nil || s.options.Trace.Applied == nil {
		return func() {}
	}
	began := time.Now()
	return func() {
		s.options.Trace.Applied(BatchInfo{
			Informer: s.name, Changes: changes, Queued: s.queue.Len(), Version: s.store.Version(), Took: time.Since(began),
		})
	}
}

// stored tells the trace what the store has taken in.
func (s *shared[T]) stored(told []notification[T]) {
	if s.options.Trace == nil || s.options.Trace.Stored == nil {
		return
	}
	for i := range told {
		n := &told[i]
		switch n.kind {
		case added:
			s.options.Trace.Stored(s.traced(n.key, n.new, "add"))
		case updated:
			s.options.Trace.Stored(s.traced(n.key, n.new, "update"))
		case deleted:
			s.options.Trace.Stored(s.traced(n.key, n.new, "delete"))
		}
	}
}

// receivedTrace is how the reflector tells the trace what the source has said.
func (s *shared[T]) receivedTrace() *reflector.Trace {
	if s.options.Trace == nil || s.options.Trace.Received == nil {
		return nil
	}
	return &reflector.Trace{Event: func(t watch.EventType, object any, _ string) {
		typed, ok := object.(T)
		if !ok {
			return
		}
		if key, err := s.parts.KeyFunc(typed); err == nil {
			s.options.Trace.Received(s.traced(key, typed, string(t)))
		}
	}}
}

func (s *shared[T]) traced(key string, obj T, event string) TraceInfo {
	_, version := s.parts.MetaFunc(obj)
	return TraceInfo{Informer: s.name, Key: key, Version: version, Event: event}
}
