// The work is done by package reflector, which writes to the store.

package cache

import (
	"iter"
	"log/slog"

	"github.com/thinformer/thinformer/cache/internal/metadata"
	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/reflector"
)

// ReflectorStore is the store that a Reflector keeps up to date. Every Store
// and every Queue implements it.
type ReflectorStore interface {
	Add(obj any) error
	Update(obj any) error
	Delete(obj any) error
	Replace(list []any, resourceVersion string) error
	Resync() error
}

// ReflectorBookmarkStore is a ReflectorStore that receives bookmarks.
type ReflectorBookmarkStore interface {
	Bookmark(resourceVersion string) error
}

// ResourceVersionUpdater is a ReflectorStore that receives the version of each
// event and bookmark.
type ResourceVersionUpdater interface {
	UpdateResourceVersion(resourceVersion string)
}

// TransformingStore is a ReflectorStore that transforms objects. The Reflector
// never calls the Transformer itself.
type TransformingStore interface {
	ReflectorStore
	Transformer() TransformFunc
}

// storeAdapter adapts a ReflectorStore to package reflector.
//
// If the store returns an error for a single object, only that object is
// affected: a relist would return it again.
type storeAdapter struct {
	store ReflectorStore
	// replaceStream replaces the contents with a list that is still being
	// received; nil if the store needs the whole list.
	replaceStream func(items iter.Seq2[any, error], version func() string) error
	// bookmark and updateVersion report a version to the store; nil if the
	// store has no such method. updateVersion is called for events and
	// bookmarks; Replace has its own version.
	bookmark      func(version string) error
	updateVersion func(version string)
	shouldResync  func() bool
	logger        *slog.Logger
}

// newStoreAdapter returns store as a reflector.Store, or nil if store is nil.
// If shouldResync is not nil, it decides whether Resync is called.
func newStoreAdapter(store ReflectorStore, logger *slog.Logger, shouldResync func() bool) reflector.Store[any] {
	if nilcheck.IsNilPointer(store) {
		return nil
	}
	s := &storeAdapter{store: store, shouldResync: shouldResync, logger: logger}
	switch store := store.(type) {
	case ReflectorBookmarkStore:
		s.bookmark = store.Bookmark
	case interface{ Bookmark(version string) }:
		s.bookmark = func(version string) error {
			store.Bookmark(version)
			return nil
		}
	}
	if updater, ok := store.(ResourceVersionUpdater); ok {
		s.updateVersion = updater.UpdateResourceVersion
	}
	switch own := store.(type) {
	case *DeltaFIFO:
		s.replaceStream = own.replaceBy
		return &deltaFIFOAdapter{s, own.queue}
	case *indexerOf[any]:
		if own.transform == nil {
			s.replaceStream = own.replaceBy
			return &indexerAdapter{s, own.ix}
		}
	}
	return s
}

// deltaFIFOAdapter adapts a DeltaFIFO, which reports its known objects and
// skips items of a list by their versions.
type deltaFIFOAdapter struct {
	*storeAdapter
	queue *deltafifo.DeltaFIFO[any]
}

// Known returns the known object with the key.
func (q *deltaFIFOAdapter) Known(key string) (any, bool) { return q.queue.Known(key) }

// InvalidateVersions makes the next Replace ignore the known versions.
func (q *deltaFIFOAdapter) InvalidateVersions() { q.queue.InvalidateVersions() }

// indexerAdapter adapts a store of this package, which reports its objects.
type indexerAdapter struct {
	*storeAdapter
	objects *indexer.Indexer[any]
}

// Known returns the stored object with the key.
func (x *indexerAdapter) Known(key string) (any, bool) { return x.objects.Get(key) }

// itemOnlyError is an error of the store for a single object.
type itemOnlyError struct{ error }

func (e itemOnlyError) Unwrap() error { return e.error }

func (e itemOnlyError) ItemOnly() bool { return true }

// Add adds obj.
func (s *storeAdapter) Add(obj any) error { return s.result(obj, s.store.Add(obj)) }

// Update updates obj.
func (s *storeAdapter) Update(obj any) error { return s.result(obj, s.store.Update(obj)) }

// Delete deletes obj.
func (s *storeAdapter) Delete(obj any) error { return s.result(obj, s.store.Delete(obj)) }

func (s *storeAdapter) result(obj any, err error) error {
	if s.updateVersion != nil {
		s.updateVersion(metadata.VersionOf(obj))
	}
	if err != nil {
		return itemOnlyError{err}
	}
	return nil
}

// Replace replaces all objects with the items.
func (s *storeAdapter) Replace(items iter.Seq2[any, error], version func() string) error {
	if s.replaceStream != nil {
		return s.replaceStream(items, version)
	}
	return s.collect(items, version)
}

// collect receives the whole list before it is passed to the store.
func (s *storeAdapter) collect(items iter.Seq2[any, error], version func() string) error {
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

// Bookmark reports a version to the store.
func (s *storeAdapter) Bookmark(version string) {
	if s.bookmark != nil {
		if err := s.bookmark(version); err != nil {
			s.logger.Error("The store returned an error for a bookmark", "resourceVersion", version, "err", err)
		}
	}
	if s.updateVersion != nil {
		s.updateVersion(version)
	}
}

// Resync calls Resync of the store.
func (s *storeAdapter) Resync() error {
	if s.shouldResync != nil && !s.shouldResync() {
		return nil
	}
	return s.store.Resync()
}
