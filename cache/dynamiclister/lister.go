package dynamiclister

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/internal/objectlist"
)

// New returns a lister of the objects in the Indexer. Its NotFound errors name
// the resource.
func New(indexer cache.Indexer, gvr schema.GroupVersionResource) Lister {
	return lister{cache.NewGenericLister(indexer, gvr.GroupResource())}
}

type lister struct{ objects cache.GenericLister }

func (l lister) List(selector labels.Selector) (ret []*unstructured.Unstructured, err error) {
	return objectlist.Typed[*unstructured.Unstructured](l.objects.List(selector))
}

func (l lister) Get(name string) (*unstructured.Unstructured, error) {
	return objectlist.One[*unstructured.Unstructured](l.objects.Get(name))
}

func (l lister) Namespace(namespace string) NamespaceLister {
	return namespaceLister{l.objects.ByNamespace(namespace)}
}

type namespaceLister struct{ objects cache.GenericNamespaceLister }

func (l namespaceLister) List(selector labels.Selector) (ret []*unstructured.Unstructured, err error) {
	return objectlist.Typed[*unstructured.Unstructured](l.objects.List(selector))
}

func (l namespaceLister) Get(name string) (*unstructured.Unstructured, error) {
	return objectlist.One[*unstructured.Unstructured](l.objects.Get(name))
}
