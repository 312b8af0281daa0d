package informer

import (
	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/internal/deep"
)

// batchBuffers are the buffers that apply reuses.
type batchBuffers[T any] struct {
	changes       []indexer.Change[T]
	notifications []notification[T]
	// synced: the end of the initial list has been reported.
	synced bool
}

// maxReusedBuffer is the capacity up to which buffers are reused. Only the initial
// list needs more.
const maxReusedBuffer = 4 * maxBatch

// handleDeltas processes a batch of the only feed of an informer.
func (f *feed[T]) handleDeltas(deltas []deltafifo.Delta[T], batch deltafifo.Batch) error {
	return f.shared.apply(f, deltas, batch, batch.Version)
}

// apply applies a batch of a feed to the store, then appends a notification for each
// changed object to the log of the handlers, then wakes waits for a version. Observers
// are called after the store has changed and before handlers are notified. The
// order matters: a handler or waiter that is notified of a change finds it in the
// store. storeVersion is the version of the store after the batch, "" for no change.
func (s *shared[T]) apply(f *feed[T], deltas []deltafifo.Delta[T], batch deltafifo.Batch, storeVersion string) error {
	epoch := f.waiters.begin(f.version(), batch)
	defer s.traceApplied(f, len(deltas))()
	s.tracePopped(deltas)
	changes := s.changesOf(deltas)
	s.guard.beforeStore(changes)
	var err error
	if len(changes) == 0 {
		s.store.Bookmark(storeVersion)
	} else {
		err = s.store.Apply(changes, storeVersion)
	}
	f.reached(batch)
	if notifications := s.notificationsOf(f, deltas, batch); len(notifications) > 0 {
		s.traceStored(notifications)
		s.notify(notifications, batch, epoch)
	}
	f.waiters.advance(epoch, batch, func(version string) bool { return s.batchHasVersion(deltas, batch, version) })
	s.buffers.release()
	return err
}

func (s *shared[T]) changesOf(deltas []deltafifo.Delta[T]) []indexer.Change[T] {
	changes := s.buffers.changes[:0]
	for i := range deltas {
		d := &deltas[i]
		changes = append(changes, indexer.Change[T]{Key: d.Key, Object: d.Object, Delete: d.Type == deltafifo.Deleted})
	}
	s.buffers.changes = changes
	return changes
}

// notificationsOf returns the notifications of the changes. The previous states are
// those that the store has returned.
func (s *shared[T]) notificationsOf(f *feed[T], deltas []deltafifo.Delta[T], batch deltafifo.Batch) []notification[T] {
	notifications := s.buffers.notifications[:0]
	for i := range s.buffers.changes {
		c := &s.buffers.changes[i]
		n := notification[T]{key: c.Key, initial: batch.InInitialList}
		switch {
		case c.Delete && !c.Existed:
			continue
		case c.Delete:
			n.kind, n.old, n.new, n.finalStateUnknown = deleted, c.Old, c.Object, deltas[i].FinalStateUnknown
		case !c.Existed:
			n.kind, n.new = added, c.Object
		case s.isRepeat(c.Old, c.Object) && (deltas[i].Type == deltafifo.Replaced || f.versionsOrdered()):
			continue
		default:
			n.kind, n.old, n.new = updated, c.Old, c.Object
		}
		notifications = append(notifications, n)
	}
	if batch.Replace && !s.buffers.synced && s.feeds.completes(f) {
		s.buffers.synced = true
		notifications = append(notifications, notification[T]{kind: synced})
	}
	s.buffers.notifications = notifications
	return notifications
}

// isRepeat reports whether object is the stored state: handlers are not notified
// of an event that a server or proxy repeats. The UID and the version are not
// enough, since a server whose versions have gone back issues them again.
func (s *shared[T]) isRepeat(stored, object T) bool {
	uid, version := s.storeConfig.MetaFunc(object)
	if version == "" {
		return false
	}
	storedUID, storedVersion := s.storeConfig.MetaFunc(stored)
	return version == storedVersion && uid == storedUID && deep.EqualExceptTypeMeta(stored, object)
}

// versionsOrdered reports whether the versions of the source are ordered. If not,
// the source is probably a fake, and a test may wait for the notification of an
// event that changes nothing.
func (f *feed[T]) versionsOrdered() bool { return f.controller.State().Unordered == "" }

// release drops the objects, and buffers that have grown large.
func (s *batchBuffers[T]) release() {
	clear(s.changes)
	if cap(s.changes) > maxReusedBuffer {
		s.changes = nil
	}
	clear(s.notifications)
	if cap(s.notifications) > maxReusedBuffer {
		s.notifications = nil
	}
}

// batchHasVersion reports whether a batch contains exactly this version. It is used
// for versions that cannot be compared.
func (s *shared[T]) batchHasVersion(deltas []deltafifo.Delta[T], batch deltafifo.Batch, version string) bool {
	for _, m := range batch.Markers {
		if m.Version == version {
			return true
		}
	}
	for i := range deltas {
		if _, objectVersion := s.storeConfig.MetaFunc(deltas[i].Object); objectVersion == version {
			return true
		}
	}
	return false
}
