package interop

import (
	"reflect"

	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
)

// handlerOf has a handler get the tombstones that it knows.
func handlerOf(handler clientcache.ResourceEventHandler) cache.ResourceEventHandler {
	if handler == nil || isNilPointer(handler) || knowsOurs(handler) {
		return handler // and package cache refuses what is nil
	}
	return translated{handler}
}

func isNilPointer(handler clientcache.ResourceEventHandler) bool {
	value := reflect.ValueOf(handler)
	return value.Kind() == reflect.Pointer && value.IsNil()
}

// knowsOurs: whoever made a handler of a type of package cache has that package's
// tombstone at hand under the name that client-go's has elsewhere.
func knowsOurs(handler clientcache.ResourceEventHandler) bool {
	kind := reflect.TypeOf(handler)
	for kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	return kind.PkgPath() == reflect.TypeFor[cache.DeletedFinalStateUnknown]().PkgPath()
}

// translated is a handler that was written against client-go.
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
