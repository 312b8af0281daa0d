package informer

import (
	"fmt"
	"reflect"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// Source is a ListerWatcher that describes its resource. [rest.View],
// [rest.Resource] and [listwatch.ListWatch] implement it; the ResourceInfo of a
// hand-made ListWatch is zero.
//
// Two sources with a method Identity() any are the same if their identities are
// equal, as for two Views of one resource. Any other source equals only itself.
// This includes a struct that embeds a source with an Identity, since the struct
// may list other objects.
type Source[T any] interface {
	listwatch.ListerWatcher[T]
	ResourceInfo() rest.ResourceInfo
}

var (
	_ Source[*rest.SlimMeta] = (*rest.View[*rest.SlimMeta])(nil)
	_ Source[*rest.SlimMeta] = (*rest.Resource[*rest.SlimMeta])(nil)
	_ Source[*rest.SlimMeta] = (*listwatch.ListWatch[*rest.SlimMeta])(nil)
)

// namespaceOf returns the namespace to restrict a source to, or "" for a
// cluster-scoped resource.
func namespaceOf[T rest.Object](source Source[T], namespace string) string {
	if info := source.ResourceInfo(); info.Resource != "" && !info.Namespaced {
		return ""
	}
	return namespace
}

// inNamespace returns the source restricted to a namespace, or unchanged for "".
func inNamespace[T rest.Object](source Source[T], namespace string) (Source[T], error) {
	if namespace == "" {
		return source, nil
	}
	scoped, ok := withNamespace(source, namespace)
	if !ok {
		return source, fmt.Errorf("%w: the namespace is %q, and the source is a %T", ErrNoNamespace, namespace, source)
	}
	return scoped, nil
}

// withNamespace returns the source restricted to a namespace, or unrestricted for "". It
// switches on the type, since the method of an embedded View would return a View
// without the struct.
func withNamespace[T rest.Object](source Source[T], namespace string) (scoped Source[T], ok bool) {
	switch source := source.(type) {
	case *rest.View[T]:
		return source.Namespace(namespace), true
	case *rest.Resource[T]:
		return source.Namespace(namespace), true
	}
	return source, false
}

// scopedNamespaceOf returns the only namespace of a source, or "" if it does not
// say. A struct that embeds a View may list more than the View.
func scopedNamespaceOf[T any](source listwatch.ListerWatcher[T], err error) string {
	if err != nil {
		return ""
	}
	source = listwatch.Unwrap(source)
	if n, ok := source.(listwatch.NamespaceScoped); ok && (isRestSource(source) || !mayBePromoted[listwatch.NamespaceScoped](source)) {
		return n.ScopedNamespace()
	}
	return ""
}

// isRestSource reports whether the source is a View or a Resource. A Resource embeds
// a View, and the promoted methods are correct for it. The types are not named here,
// since then every program would link the write methods of Resource.
func isRestSource(source any) bool {
	t := reflect.TypeOf(source)
	return t.Kind() == reflect.Pointer && t.Elem().PkgPath() == reflect.TypeFor[rest.ResourceInfo]().PkgPath()
}

// identityOf returns the identity of a source. ok is false if it is not comparable.
func identityOf[T rest.Object](source Source[T]) (identity any, ok bool) {
	identity = source
	if i, ok := source.(listwatch.Identified); ok && (isRestSource(source) || !mayBePromoted[listwatch.Identified](source)) {
		identity = i.Identity()
	}
	v := reflect.ValueOf(identity)
	return identity, v.IsValid() && v.Comparable()
}
