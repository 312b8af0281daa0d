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
// same as itself only.
type Source[T any] interface {
	listwatch.ListerWatcher[T]
	ResourceInfo() rest.ResourceInfo
}

var (
	_ Source[*rest.SlimMeta] = (*rest.View[*rest.SlimMeta])(nil)
	_ Source[*rest.SlimMeta] = (*rest.Resource[*rest.SlimMeta])(nil)
	_ Source[*rest.SlimMeta] = (*listwatch.ListWatch[*rest.SlimMeta])(nil)
)

// inNamespace is the source as it shows one namespace, or all for "". What is
// not in namespaces stays as it is.
func inNamespace[T rest.Object](source Source[T], namespace string) (Source[T], error) {
	if info := source.ResourceInfo(); namespace == "" || info.Resource != "" && !info.Namespaced {
		return source, nil
	}
	switch source := source.(type) {
	case interface {
		Namespace(string) *rest.View[T]
	}:
		return source.Namespace(namespace), nil
	case interface {
		Namespace(string) *rest.Resource[T]
	}:
		return source.Namespace(namespace), nil
	}
	return source, fmt.Errorf("%w: the factory is for namespace %q, and the source is a %T", ErrNoNamespace, namespace, source)
}

// identityOf is what tells a source from others; false if nothing can.
func identityOf(source any) (identity any, ok bool) {
	identity = source
	if identified, has := source.(interface{ Identity() any }); has {
		identity = identified.Identity()
	}
	v := reflect.ValueOf(identity)
	return identity, v.IsValid() && v.Comparable()
}
