package informer

import (
	"iter"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/rest"
)

// ResourceInfo is what the source serves, the zero value if it does not tell.
func (i *SharedInformer[T]) ResourceInfo() rest.ResourceInfo { return i.shared.info }

// Get returns the stored object of a key, "namespace/name" or "name". Like
// every read it never waits, and what it returns is shared: do not change it.
func (i *SharedInformer[T]) Get(key string) (T, bool) { return i.shared.store.Get(key) }

// Object is Get for those who do not know the type.
func (i *SharedInformer[T]) Object(key string) (any, bool) {
	if obj, ok := i.shared.store.Get(key); ok {
		return obj, true
	}
	return nil, false
}

// Keys yields the key of every stored object, in no order.
func (i *SharedInformer[T]) Keys() iter.Seq[string] { return i.shared.store.Keys() }

// All yields every stored object, in no order, all of one version of the store.
func (i *SharedInformer[T]) All() iter.Seq[T] { return i.shared.store.All() }

// Reader is the right to read the store: snapshots, keys, indexes by name.
func (i *SharedInformer[T]) Reader() indexer.Reader[T] { return i.shared.store.Reader }

// Lister reads by namespace, name and labels, and answers NotFound as the
// server would. Where the source does not say what resource it serves, the
// name of T stands for it in those errors.
func (i *SharedInformer[T]) Lister() indexer.Lister[T] {
	resource := i.shared.info.GroupResource()
	if resource.Resource == "" {
		name := typeName[T]()
		resource = schema.GroupResource{Resource: strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])}
	}
	return indexer.NewLister(i.shared.store.Reader, resource)
}

// AddIndex adds an index over what f says of each object. It can be called at
// any time; the objects that are there are in it when it returns, and nobody
// waits for that. f must not keep or change the object. If f panics, that object
// is not in the index.
//
// Possible errors: indexer.ErrIndexExists, indexer.ErrNoIndexFunc, ErrReleased,
// what was wrong with the arguments of New or For.
func (i *SharedInformer[T]) AddIndex(name string, f func(T) []string) (*indexer.Index[T], error) {
	if err := i.usable(); err != nil {
		return nil, err
	}
	return i.shared.store.AddIndex(name, f)
}

// AddIndexes adds an index for each function, by its name, as AddIndex does: all
// of them, or none if there is an error.
//
// Possible errors: as AddIndex has.
func (i *SharedInformer[T]) AddIndexes(functions map[string]func(T) []string) error {
	if err := i.usable(); err != nil {
		return err
	}
	return i.shared.store.AddIndexes(functions)
}

// HasSynced reports whether the initial list is in the store. Whether a handler
// has been told of all of it, its Registration knows.
func (i *SharedInformer[T]) HasSynced() bool { return i.shared.queue.HasSynced() }

// Synced is closed when the initial list is in the store. It stays open if the
// informer stops before that; WaitForSync says why it is.
func (i *SharedInformer[T]) Synced() <-chan struct{} { return i.shared.queue.Synced() }

// Version is V only if everything that happened up to V is in the store; ""
// before the initial list is.
func (i *SharedInformer[T]) Version() string { return i.shared.store.Version() }

// InNamespace is the only namespace that the source shows, "" if it shows all of
// them or does not tell.
func (i *SharedInformer[T]) InNamespace() string { return i.shared.namespace }
