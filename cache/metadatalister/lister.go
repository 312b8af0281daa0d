package metadatalister

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

func (l lister) List(selector labels.Selector) (ret []*metav1.PartialObjectMetadata, err error) {
	return objectlist.Typed[*metav1.PartialObjectMetadata](l.objects.List(selector))
}

func (l lister) Get(name string) (*metav1.PartialObjectMetadata, error) {
	return objectlist.One[*metav1.PartialObjectMetadata](l.objects.Get(name))
}

func (l lister) Namespace(namespace string) NamespaceLister {
	return namespaceLister{l.objects.ByNamespace(namespace)}
}

type namespaceLister struct{ objects cache.GenericNamespaceLister }

func (l namespaceLister) List(selector labels.Selector) (ret []*metav1.PartialObjectMetadata, err error) {
	return objectlist.Typed[*metav1.PartialObjectMetadata](l.objects.List(selector))
}

func (l namespaceLister) Get(name string) (*metav1.PartialObjectMetadata, error) {
	return objectlist.One[*metav1.PartialObjectMetadata](l.objects.Get(name))
}
