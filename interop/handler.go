package interop

import (
	"reflect"

	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
)

// handlerOf returns a handler that receives the tombstones of the library that it was
// written for.
func handlerOf(handler clientcache.ResourceEventHandler) cache.ResourceEventHandler {
	if handler == nil || isNilPointer(handler) || knowsOurs(handler) {
		return handler // package cache rejects nil
	}
	return translated{handler}
}

func isNilPointer(handler clientcache.ResourceEventHandler) bool {
	value := reflect.ValueOf(handler)
	return value.Kind() == reflect.Pointer && value.IsNil()
}

// knowsOurs reports whether a handler has a type of package cache. Its author then uses
// the tombstone of package cache.
func knowsOurs(handler clientcache.ResourceEventHandler) bool {
	kind := reflect.TypeOf(handler)
	for kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	return kind.PkgPath() == reflect.TypeFor[cache.DeletedFinalStateUnknown]().PkgPath()
}

// translated is a handler written for client-go.
type translated struct {
	clientcache.ResourceEventHandler
}

// OnDelete implements [cache.ResourceEventHandler].
func (h translated) OnDelete(obj any) {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = clientcache.DeletedFinalStateUnknown{Key: gone.Key, Obj: gone.Obj}
	}
	h.ResourceEventHandler.OnDelete(obj)
}
