// Only package cache uses the exported names of this file.

package informer

import (
	"log/slog"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/listwatch"
)

// NewFrom is like [New] for objects of any type, such as interfaces, with the key
// function, the metadata function and the store of config. The objects may have
// different types, and none may be nil. If an argument is invalid, the first call
// returns the error, as with New.
func NewFrom[T any](source listwatch.ListerWatcher[T], config StoreConfig[T], o Options[T]) *SharedInformer[T] {
	return &SharedInformer[T]{shared: newShared(source, config, o)}
}

// StoreConfig has the functions that [NewFrom] needs for objects without metadata
// methods, and an existing store. The zero value is a working default.
type StoreConfig[T any] struct {
	// Store keeps the objects. Other code may write to it. Such writes are
	// overwritten by the source's next event for that object or by the next list.
	// Handlers are not notified of them, but the next notification of that object
	// has the written state as its old state. Store should have no MetaFunc, since
	// the informer decides which state is newer. Default: a new store.
	Store *indexer.Indexer[T]

	// KeyFunc returns the key of an object. It must be the KeyFunc of the Store.
	// Default: [indexer.MetaNamespaceKeyFunc].
	KeyFunc func(T) (string, error)

	// MetaFunc returns the UID and the version of an object, "" if it has none.
	// Default: they are read from the methods of the object or of its ObjectMeta.
	MetaFunc func(T) (types.UID, string)
}

// withDefaults returns c with all fields set.
func (c StoreConfig[T]) withDefaults(logger *slog.Logger) StoreConfig[T] {
	if c.KeyFunc == nil {
		c.KeyFunc = indexer.MetaNamespaceKeyFunc[T]
	}
	if c.MetaFunc == nil {
		c.MetaFunc = metaOfAny[T]
	}
	if c.Store == nil {
		c.Store = indexer.New(indexer.Options[T]{KeyFunc: c.KeyFunc, Logger: logger})
	}
	return c
}

// objectMeta is an object with a UID and a version.
type objectMeta interface {
	GetUID() types.UID
	GetResourceVersion() string
}

// metaOfAny returns the UID and the version of an object of any type.
func metaOfAny[T any](obj T) (types.UID, string) {
	switch o := any(obj).(type) {
	case objectMeta:
		if !nilcheck.IsNil(o) {
			return o.GetUID(), o.GetResourceVersion()
		}
	case metav1.ObjectMetaAccessor:
		if nilcheck.IsNil(o) {
			return "", ""
		}
		if meta := o.GetObjectMeta(); !nilcheck.IsNil(meta) {
			return meta.GetUID(), meta.GetResourceVersion()
		}
	}
	return "", ""
}
