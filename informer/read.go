package informer

import (
	"context"
	"iter"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/rest"
)

// ResourceInfo describes the resource of the source. It is zero if the source does
// not provide it.
func (i *SharedInformer[T]) ResourceInfo() rest.ResourceInfo { return i.shared.info }

// Get returns the stored object with the key "namespace/name" or "name". Like all
// reads it never waits, and the object is shared: do not modify it.
func (i *SharedInformer[T]) Get(key string) (T, bool) { return i.shared.store.Get(key) }

// Read is Get with the revision of the snapshot that was read. It is for the tracked
// reads of package controller. An informer of several namespaces waits for the first
// attempt to list the key's namespace, at most for ten seconds.
//
// Possible errors: ErrNotListed for an informer of several namespaces, also if the server
// forbids the list; indexer.ErrBadKey for a key that no object of the resource can have:
// "name" if it is namespaced, "namespace/name" if it is not.
func (i *SharedInformer[T]) Read(ctx context.Context, key string) (obj T, ok bool, revision uint64, err error) {
	if err := i.shared.feeds.waitForListOf(ctx, key); err != nil {
		return obj, false, 0, err
	}
	snapshot := i.shared.store.Snapshot()
	if obj, ok = snapshot.Get(key); !ok {
		err = i.shared.checkKey(key)
	}
	return obj, ok, snapshot.Revision(), err
}

// Observed returns i: its changes are the changes of what Read returns.
func (i *SharedInformer[T]) Observed() AnyInformer { return i }

// Object is Get without the type. See [AnyInformer].
func (i *SharedInformer[T]) Object(key string) (any, bool) {
	if obj, ok := i.shared.store.Get(key); ok {
		return obj, true
	}
	return nil, false
}

// Keys returns an iterator over the keys of all stored objects, in no particular
// order.
func (i *SharedInformer[T]) Keys() iter.Seq[string] { return i.shared.store.Keys() }

// All returns an iterator over all stored objects, in no particular order, from one
// version of the store.
func (i *SharedInformer[T]) All() iter.Seq[T] { return i.shared.store.All() }

// Reader returns a read-only view of the store: snapshots, keys, and indexes by
// name.
func (i *SharedInformer[T]) Reader() indexer.Reader[T] { return i.shared.store.Reader }

// Lister returns a lister by namespace, name and labels. Its errors are NotFound
// errors like those of the server. They name T if the source does not provide its
// resource.
func (i *SharedInformer[T]) Lister() indexer.Lister[T] {
	resource := i.shared.info.GroupResource()
	if resource.Resource == "" {
		name := typeName[T]()
		resource = schema.GroupResource{Resource: strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])}
	}
	return indexer.NewLister(i.shared.store.Reader, resource)
}

// AddIndex adds an index with the values that f returns for each object. It can be
// called at any time; when it returns, the index contains all stored objects.
// Readers are not blocked meanwhile. f must not keep or modify the object. If f
// panics, that object is not in the index.
//
// Possible errors: indexer.ErrIndexExists, indexer.ErrNoIndexFunc, ErrReleased,
// and errors in the arguments of New or For.
func (i *SharedInformer[T]) AddIndex(name string, f func(T) []string) (*indexer.Index[T], error) {
	if err := i.checkUsable(); err != nil {
		return nil, err
	}
	return i.shared.store.AddIndex(name, f)
}

// AddIndexes adds an index for each function, as AddIndex does: all of them, or
// none if there is an error.
//
// Possible errors: those of AddIndex.
func (i *SharedInformer[T]) AddIndexes(functions map[string]func(T) []string) error {
	if err := i.checkUsable(); err != nil {
		return err
	}
	return i.shared.store.AddIndexes(functions)
}

// HasSynced reports whether the initial list is in the store; for an informer of several
// namespaces, the lists of those that the server allows. [Registration.HasSynced]
// reports whether a handler has processed it.
func (i *SharedInformer[T]) HasSynced() bool { return i.shared.hasSynced() }

func (s *shared[T]) hasSynced() bool {
	select {
	case <-s.feeds.synced():
		return true
	default:
		return false
	}
}

// Synced returns a channel that is closed when the initial list is in the store. The
// channel stays open if the informer stops before that; WaitForSync returns the
// reason.
func (i *SharedInformer[T]) Synced() <-chan struct{} { return i.shared.feeds.synced() }

// Version returns a version V such that all changes up to V are in the store, or ""
// before the initial list.
func (i *SharedInformer[T]) Version() string { return i.shared.version() }

// ScopedNamespace returns the only namespace that the source lists, or "" if it
// lists all namespaces or does not say.
func (i *SharedInformer[T]) ScopedNamespace() string { return i.shared.namespace }
