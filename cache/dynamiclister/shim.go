package dynamiclister

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/internal/objectlist"
)

// NewRuntimeObjectShim returns a lister as a cache.GenericLister.
func NewRuntimeObjectShim(lister Lister) cache.GenericLister {
	return genericLister{lister}
}

type genericLister struct{ typed Lister }

func (l genericLister) List(selector labels.Selector) (ret []runtime.Object, err error) {
	return objectlist.Untyped(l.typed.List(selector))
}

func (l genericLister) Get(name string) (runtime.Object, error) {
	return objectlist.UntypedOne(l.typed.Get(name))
}

func (l genericLister) ByNamespace(namespace string) cache.GenericNamespaceLister {
	return genericNamespaceLister{l.typed.Namespace(namespace)}
}

type genericNamespaceLister struct{ typed NamespaceLister }

func (l genericNamespaceLister) List(selector labels.Selector) (ret []runtime.Object, err error) {
	return objectlist.Untyped(l.typed.List(selector))
}

func (l genericNamespaceLister) Get(name string) (runtime.Object, error) {
	return objectlist.UntypedOne(l.typed.Get(name))
}
