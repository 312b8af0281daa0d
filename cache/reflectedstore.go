package cache

import (
	"iter"
	"log/slog"

	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/reflector"
)

// reflectedStore is a ReflectorStore as the reflector beneath fills one.
//
// A single object that the store refuses costs itself alone: to read everything
// again would bring it again.
type reflectedStore struct {
	store ReflectorStore
	// list takes a list that comes in item by item; nil if the store takes it
	// when it has come.
	list func(items iter.Seq2[any, error], version func() string) error
	// bookmark and reached tell the store a version; nil if it does not want to
	// know. reached is of events and bookmarks: Replace names its version itself.
	bookmark     func(version string) error
	reached      func(version string)
	shouldResync func() bool
	logger       *slog.Logger
}

// storeOf is store as a reflector fills it; nil where store is nil. Resync is
// called when shouldResync says so, if that is not nil.
func storeOf(store ReflectorStore, logger *slog.Logger, shouldResync func() bool) reflector.Store[any] {
	if isNil(store) {
		return nil
	}
	s := &reflectedStore{store: store, shouldResync: shouldResync, logger: logger}
	switch told := store.(type) {
	case ReflectorBookmarkStore:
		s.bookmark = told.Bookmark
	case interface{ Bookmark(version string) }:
		s.bookmark = func(version string) error {
			told.Bookmark(version)
			return nil
		}
	}
	if told, ok := store.(ResourceVersionUpdater); ok {
		s.reached = told.UpdateResourceVersion
	}
	switch own := store.(type) {
	case *DeltaFIFO:
		s.list = own.replaceBy
		return &reflectedQueue{s, own.queue}
	case *indexerOf[any]:
		if own.transform == nil {
			s.list = own.replaceBy
			return &reflectedIndexer{s, own.ix}
		}
	}
	return s
}

// reflectedQueue is a DeltaFIFO, which knows what it would leave behind, and takes
// a list for what it has by versions.
type reflectedQueue struct {
	*reflectedStore
	queue *deltafifo.DeltaFIFO[any]
}

// Known is what is known under a key.
func (q *reflectedQueue) Known(key string) (any, bool) { return q.queue.Known(key) }

// Distrust has the next list taken as it is.
func (q *reflectedQueue) Distrust() { q.queue.Distrust() }

// reflectedIndexer is a store of ours, which knows what it has.
type reflectedIndexer struct {
	*reflectedStore
	objects *indexer.Indexer[any]
}

// Known is what is stored under a key.
func (x *reflectedIndexer) Known(key string) (any, bool) { return x.objects.Get(key) }

// refusedItem is why a store did not take an object.
type refusedItem struct{ error }

func (e refusedItem) Unwrap() error  { return e.error }
func (e refusedItem) ItemOnly() bool { return true }

// Add adds obj.
func (s *reflectedStore) Add(obj any) error { return s.did(obj, s.store.Add(obj)) }

// Update updates obj.
func (s *reflectedStore) Update(obj any) error { return s.did(obj, s.store.Update(obj)) }

// Delete deletes obj.
func (s *reflectedStore) Delete(obj any) error { return s.did(obj, s.store.Delete(obj)) }

func (s *reflectedStore) did(obj any, err error) error {
	if s.reached != nil {
		s.reached(versionOf(obj))
	}
	if err != nil {
		return refusedItem{err}
	}
	return nil
}

// Replace makes the items all that there is.
func (s *reflectedStore) Replace(items iter.Seq2[any, error], version func() string) error {
	if s.list != nil {
		return s.list(items, version)
	}
	return s.collect(items, version)
}

// collect has the whole list come before the store gets it.
func (s *reflectedStore) collect(items iter.Seq2[any, error], version func() string) error {
	if items == nil {
		return indexer.ErrNoItems
	}
	var list []any
	for item, err := range items {
		if err != nil {
			return err
		}
		list = append(list, item)
	}
	return s.store.Replace(list, version())
}

// Bookmark says that a version has been reached.
func (s *reflectedStore) Bookmark(version string) {
	if s.bookmark != nil {
		if err := s.bookmark(version); err != nil {
			s.logger.Error("a store has not taken a bookmark", "resourceVersion", version, "error", err)
		}
	}
	if s.reached != nil {
		s.reached(version)
	}
}

// Resync asks that everything be looked at again.
func (s *reflectedStore) Resync() error {
	if s.shouldResync != nil && !s.shouldResync() {
		return nil
	}
	return s.store.Resync()
}
