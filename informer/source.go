package informer

import (
	"fmt"
	"reflect"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

// Source is a ListerWatcher that knows what it serves. A [rest.View] is one, and
// so are a [rest.Resource] and a [listwatch.ListWatch]; of a ListWatch made by
// hand the ResourceInfo is the zero value.
//
// One that has a method Identity() any is taken for the same source as another
// whose Identity is equal, as two Views of one resource are. Any other is the
// same as itself only, and so is a struct that embeds what has an Identity: what
// is put around a View may show something else.
type Source[T any] interface {
	listwatch.ListerWatcher[T]
	ResourceInfo() rest.ResourceInfo
}

var (
	_ Source[*rest.SlimMeta] = (*rest.View[*rest.SlimMeta])(nil)
	_ Source[*rest.SlimMeta] = (*rest.Resource[*rest.SlimMeta])(nil)
	_ Source[*rest.SlimMeta] = (*listwatch.ListWatch[*rest.SlimMeta])(nil)
)

// namespaceOf is the one that a source is to be narrowed to: none if it serves
// what is not in namespaces.
func namespaceOf[T rest.Object](source Source[T], namespace string) string {
	if info := source.ResourceInfo(); info.Resource != "" && !info.Namespaced {
		return ""
	}
	return namespace
}

// inNamespace is the source as it shows one namespace, or as it is for "". It
// goes by the type: a struct that embeds a View has the View's method, which
// would leave the struct behind.
func inNamespace[T rest.Object](source Source[T], namespace string) (Source[T], error) {
	if namespace == "" {
		return source, nil
	}
	switch source := source.(type) {
	case *rest.View[T]:
		return source.Namespace(namespace), nil
	case *rest.Resource[T]:
		return source.Namespace(namespace), nil
	}
	return source, fmt.Errorf("%w: the factory is for namespace %q, and the source is a %T", ErrNoNamespace, namespace, source)
}

// narrowed is a source that may show one namespace only.
type narrowed interface{ InNamespace() string }

// narrowedTo is the namespace that is all that a source shows, "" if it does not
// tell. A struct that embeds a View may show more than the View does.
func narrowedTo[T any](source listwatch.ListerWatcher[T], err error) string {
	if err != nil {
		return ""
	}
	if n, ok := source.(narrowed); ok && (ofRest(source) || !lent[narrowed](source)) {
		return n.InNamespace()
	}
	return ""
}

// ofRest is whether the source is a View or a Resource: that one embeds the
// other, and what it has from it is true of it. They are not named here, since a
// program would then link all that a Resource can do, to write as well.
func ofRest(source any) bool {
	t := reflect.TypeOf(source)
	return t.Kind() == reflect.Pointer && t.Elem().PkgPath() == reflect.TypeFor[rest.ResourceInfo]().PkgPath()
}

// identified is a source that knows when another is the same.
type identified interface{ Identity() any }

// identityOf is what tells a source from others; false if nothing can.
func identityOf[T rest.Object](source Source[T]) (identity any, ok bool) {
	identity = source
	if i, ok := source.(identified); ok && (ofRest(source) || !lent[identified](source)) {
		identity = i.Identity()
	}
	v := reflect.ValueOf(identity)
	return identity, v.IsValid() && v.Comparable()
}
