package dynamicinformer

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamiclister"
	"k8s.io/client-go/informers"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop"
	"github.com/thinformer/thinformer/interop/internal/byresource"
)

// NewFilteredDynamicInformer returns an informer that belongs to no factory: the caller
// runs it. Its objects are *unstructured.Unstructured.
func NewFilteredDynamicInformer(client dynamic.Interface, gvr schema.GroupVersionResource, namespace string, resyncPeriod time.Duration, indexers clientcache.Indexers, tweakListOptions TweakListOptionsFunc) informers.GenericInformer {
	return generic{gvr, newInformer(client, gvr, namespace, resyncPeriod, indexers, tweakListOptions)}
}

func newInformer(client dynamic.Interface, resource schema.GroupVersionResource, namespace string, resync time.Duration, indexers clientcache.Indexers, tweak TweakListOptionsFunc) clientcache.SharedIndexInformer {
	var raw *byresource.Raw
	if direct, ok := client.(*directClient); ok {
		raw = direct.raw
	}
	lw := byresource.Source(client, raw, resource, namespace, tweak, func() interop.Client[*unstructured.UnstructuredList] {
		return client.Resource(resource).Namespace(namespace)
	})
	return interop.NewSharedIndexInformerWithOptions(lw, &unstructured.Unstructured{}, clientcache.SharedIndexInformerOptions{
		ResyncPeriod: resync, Indexers: indexers, ObjectDescription: resource.String(),
	})
}

type generic struct {
	resource schema.GroupVersionResource
	informer clientcache.SharedIndexInformer
}

// Informer implements [informers.GenericInformer].
func (g generic) Informer() clientcache.SharedIndexInformer { return g.informer }

// Lister implements [informers.GenericInformer].
func (g generic) Lister() clientcache.GenericLister {
	return dynamiclister.NewRuntimeObjectShim(dynamiclister.New(g.informer.GetIndexer(), g.resource))
}
