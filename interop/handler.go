package interop

import (
	"reflect"

	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/internal/handlername"
	"github.com/thinformer/thinformer/internal/nilcheck"
)

// handlerOf returns a handler that receives the tombstones of the library that it was
// written for.
func handlerOf(handler clientcache.ResourceEventHandler) cache.ResourceEventHandler {
	if nilcheck.IsNilPointer(handler) || expectsOurTombstone(handler) {
		return handler // package cache rejects nil
	}
	return clientGoHandler{handler}
}

// expectsOurTombstone reports whether a handler has a type of package cache, and so
// expects the tombstone of that package.
func expectsOurTombstone(handler clientcache.ResourceEventHandler) bool {
	kind := reflect.TypeOf(handler)
	for kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	return kind.PkgPath() == reflect.TypeFor[cache.DeletedFinalStateUnknown]().PkgPath()
}

// clientGoHandler is a handler that expects the tombstone of client-go.
type clientGoHandler struct {
	clientcache.ResourceEventHandler
}

// OnDelete implements [cache.ResourceEventHandler].
func (h clientGoHandler) OnDelete(obj any) {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = clientcache.DeletedFinalStateUnknown{Key: gone.Key, Obj: gone.Obj}
	}
	h.ResourceEventHandler.OnDelete(obj)
}

var _ handlername.Wrapper[cache.ResourceEventHandler] = clientGoHandler{}

// NamedAs implements [handlername.Wrapper]. As with the types of package cache, a handler
// that is made of functions has the name of the first one, and a filter that of its handler.
func (h clientGoHandler) NamedAs() cache.ResourceEventHandler {
	var filtered clientcache.ResourceEventHandler
	switch h := h.ResourceEventHandler.(type) {
	case clientcache.ResourceEventHandlerFuncs:
		return cache.ResourceEventHandlerFuncs(h)
	case *clientcache.ResourceEventHandlerFuncs:
		return cache.ResourceEventHandlerFuncs(*h)
	case clientcache.ResourceEventHandlerDetailedFuncs:
		return cache.ResourceEventHandlerDetailedFuncs(h)
	case *clientcache.ResourceEventHandlerDetailedFuncs:
		return cache.ResourceEventHandlerDetailedFuncs(*h)
	case clientcache.FilteringResourceEventHandler:
		filtered = h.Handler
	case *clientcache.FilteringResourceEventHandler:
		filtered = h.Handler
	}
	if nilcheck.IsNilPointer(filtered) {
		return h.ResourceEventHandler
	}
	return clientGoHandler{filtered}
}
