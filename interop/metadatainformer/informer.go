package metadatainformer

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatalister"
	"k8s.io/client-go/rest"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop"
	"github.com/thinformer/thinformer/interop/internal/byresource"
	"github.com/thinformer/thinformer/interop/internal/shared"
)

// SharedInformerOption is an option of NewSharedInformerFactoryWithOptions.
type SharedInformerOption func(*factory) *factory

// WithTransform sets a function that changes each object before it is stored.
func WithTransform(transform clientcache.TransformFunc) SharedInformerOption {
	return func(f *factory) *factory {
		f.transform = transform
		return f
	}
}

// NewSharedInformerFactory returns a factory of informers of all namespaces.
func NewSharedInformerFactory(client metadata.Interface, defaultResync time.Duration) SharedInformerFactory {
	return NewFilteredSharedInformerFactory(client, defaultResync, metav1.NamespaceAll, nil)
}

// NewFilteredSharedInformerFactory returns a factory of informers of one namespace, or of
// all with metav1.NamespaceAll. A tweakListOptions that is not nil changes the options of
// each list and watch.
func NewFilteredSharedInformerFactory(client metadata.Interface, defaultResync time.Duration, namespace string, tweakListOptions TweakListOptionsFunc) SharedInformerFactory {
	return &factory{client: client, resync: defaultResync, namespace: namespace, tweak: tweakListOptions}
}

// NewSharedInformerFactoryWithOptions returns a factory of informers of all namespaces with
// options.
func NewSharedInformerFactoryWithOptions(client metadata.Interface, defaultResync time.Duration, options ...SharedInformerOption) SharedInformerFactory {
	f := &factory{client: client, resync: defaultResync, namespace: metav1.NamespaceAll}
	for _, option := range options {
		f = option(f)
	}
	return f
}

type factory struct {
	shared.Informers[schema.GroupVersionResource]
	client    metadata.Interface
	resync    time.Duration
	namespace string
	tweak     TweakListOptionsFunc
	transform clientcache.TransformFunc
}

// ForResource implements [SharedInformerFactory].
func (f *factory) ForResource(resource schema.GroupVersionResource) informers.GenericInformer {
	return generic{resource, f.For(resource, func() clientcache.SharedIndexInformer {
		byNamespace := clientcache.Indexers{clientcache.NamespaceIndex: clientcache.MetaNamespaceIndexFunc}
		informer := newInformer(f.client, resource, f.namespace, f.resync, byNamespace, f.tweak)
		_ = informer.SetTransform(f.transform) // it fails only for an informer that runs
		return informer
	})}
}

// NewFilteredMetadataInformer returns an informer that belongs to no factory: the caller
// runs it. Its objects are *metav1.PartialObjectMetadata.
func NewFilteredMetadataInformer(client metadata.Interface, gvr schema.GroupVersionResource, namespace string, resyncPeriod time.Duration, indexers clientcache.Indexers, tweakListOptions TweakListOptionsFunc) informers.GenericInformer {
	return generic{gvr, newInformer(client, gvr, namespace, resyncPeriod, indexers, tweakListOptions)}
}

func newInformer(client metadata.Interface, resource schema.GroupVersionResource, namespace string, resync time.Duration, indexers clientcache.Indexers, tweak TweakListOptionsFunc) clientcache.SharedIndexInformer {
	var reader *rest.RESTClient
	if direct, ok := client.(*directClient); ok {
		reader = direct.reader
	}
	lw := byresource.Source(client, reader, resource, namespace, tweak, func() interop.Client[*metav1.PartialObjectMetadataList] {
		return client.Resource(resource).Namespace(namespace)
	})
	informer := interop.NewSharedIndexInformer(lw, &metav1.PartialObjectMetadata{}, resync, indexers)
	if reader == nil {
		return informer
	}
	return newWithoutKind(informer)
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
