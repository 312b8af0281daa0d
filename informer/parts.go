package informer

import (
	"log/slog"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/indexer"
)

// Parts are what [NewFrom] needs for objects whose type does not say who they
// are, and for a store that others have made. The zero value is a working
// default.
type Parts[T any] struct {
	// Store is where the objects are kept. Others may write to it. What they
	// write is overwritten by the source's next event of that object, or its next
	// list; handlers are not told of it, but the next change of that object is
	// told as a change of what they wrote. It should have no MetaFunc, since the
	// informer decides what is new. Default: one of the informer's own.
	Store *indexer.Indexer[T]

	// KeyFunc names an object; it is to be that of the Store. Default:
	// [indexer.MetaNamespaceKeyFunc].
	KeyFunc func(T) (string, error)

	// MetaFunc reads an object's UID and version, "" for what it does not have.
	// Default: they are what the object's methods, or those of its ObjectMeta,
	// say.
	MetaFunc func(T) (types.UID, string)
}

// withDefaults has no field that is nil.
func (p Parts[T]) withDefaults(logger *slog.Logger) Parts[T] {
	if p.KeyFunc == nil {
		p.KeyFunc = indexer.MetaNamespaceKeyFunc[T]
	}
	if p.MetaFunc == nil {
		p.MetaFunc = metaOfAny[T]
	}
	if p.Store == nil {
		p.Store = indexer.New(indexer.Options[T]{KeyFunc: p.KeyFunc, Logger: logger})
	}
	return p
}

// identifiable is an object that says which one it is, and of what version.
type identifiable interface {
	GetUID() types.UID
	GetResourceVersion() string
}

// metaOfAny asks an object that may be anything.
func metaOfAny[T any](obj T) (types.UID, string) {
	switch o := any(obj).(type) {
	case identifiable:
		if !isNil(o) {
			return o.GetUID(), o.GetResourceVersion()
		}
	case metav1.ObjectMetaAccessor:
		if isNil(o) {
			return "", ""
		}
		if meta := o.GetObjectMeta(); !isNil(meta) {
			return meta.GetUID(), meta.GetResourceVersion()
		}
	}
	return "", ""
}

// typeName is T for people.
func typeName[T any]() string {
	t := reflect.TypeFor[T]()
	if t.Kind() == reflect.Interface && t.NumMethod() == 0 && t.Name() == "" {
		return "objects of any type"
	}
	return t.String()
}
