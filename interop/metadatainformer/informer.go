package metadatainformer

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatalister"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop"
	"github.com/thinformer/thinformer/interop/internal/byresource"
)

// NewFilteredMetadataInformer returns an informer that belongs to no factory: the caller
// runs it. Its objects are *metav1.PartialObjectMetadata.
func NewFilteredMetadataInformer(client metadata.Interface, gvr schema.GroupVersionResource, namespace string, resyncPeriod time.Duration, indexers clientcache.Indexers, tweakListOptions TweakListOptionsFunc) informers.GenericInformer {
	return generic{gvr, newInformer(client, gvr, namespace, resyncPeriod, indexers, tweakListOptions)}
}

func newInformer(client metadata.Interface, resource schema.GroupVersionResource, namespace string, resync time.Duration, indexers clientcache.Indexers, tweak TweakListOptionsFunc) clientcache.SharedIndexInformer {
	var raw *byresource.Raw
	if direct, ok := client.(*directClient); ok {
		raw = direct.raw
	}
	lw := byresource.Source(client, raw, resource, namespace, tweak, func() interop.Client[*metav1.PartialObjectMetadataList] {
		return client.Resource(resource).Namespace(namespace)
	})
	return interop.NewSharedIndexInformer(lw, &metav1.PartialObjectMetadata{}, resync, indexers)
}

type generic struct {
	resource schema.GroupVersionResource
	informer clientcache.SharedIndexInformer
}

// Informer implements [informers.GenericInformer].
func (g generic) Informer() clientcache.SharedIndexInformer { return g.informer }

// Lister implements [informers.GenericInformer].
func (g generic) Lister() clientcache.GenericLister {
	return metadatalister.NewRuntimeObjectShim(metadatalister.New(g.informer.GetIndexer(), g.resource))
}
