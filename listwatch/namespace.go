package listwatch

import (
	"reflect"

	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/rest"
)

// ScopedNamespace returns the only namespace that the wrapped source serves, ""
// if it serves all of them or the namespace is unknown. Only sources of types
// of this module report a namespace, because a type that embeds a View may
// serve more than the View.
func (lw *ListWatch[T]) ScopedNamespace() string {
	scoped, ok := lw.source.(NamespaceScoped)
	if !ok || nilcheck.IsNilPointer(lw.source) {
		return ""
	}
	typ := reflect.TypeOf(lw.source)
	if typ.Kind() != reflect.Pointer {
		return ""
	}
	switch typ.Elem().PkgPath() {
	case reflect.TypeFor[rest.ResourceInfo]().PkgPath(), reflect.TypeFor[ListWatch[T]]().PkgPath():
		return scoped.ScopedNamespace()
	}
	return ""
}
