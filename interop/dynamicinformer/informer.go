package dynamicinformer

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamiclister"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/rest"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop"
	"github.com/thinformer/thinformer/interop/internal/byresource"
	"github.com/thinformer/thinformer/interop/internal/shared"
)

// NewDynamicSharedInformerFactory returns a factory of informers of all namespaces.
func NewDynamicSharedInformerFactory(client dynamic.Interface, defaultResync time.Duration) DynamicSharedInformerFactory {
	return NewFilteredDynamicSharedInformerFactory(client, defaultResync, metav1.NamespaceAll, nil)
}

// NewFilteredDynamicSharedInformerFactory returns a factory of informers of one namespace,
// or of all with metav1.NamespaceAll. A tweakListOptions that is not nil changes the options
// of each list and watch.
func NewFilteredDynamicSharedInformerFactory(client dynamic.Interface, defaultResync time.Duration, namespace string, tweakListOptions TweakListOptionsFunc) DynamicSharedInformerFactory {
	return &factory{client: client, resync: defaultResync, namespace: namespace, tweak: tweakListOptions}
}

type factory struct {
	shared.Informers[schema.GroupVersionResource]
	client    dynamic.Interface
	resync    time.Duration
	namespace string
	tweak     TweakListOptionsFunc
}

// ForResource implements [DynamicSharedInformerFactory].
func (f *factory) ForResource(resource schema.GroupVersionResource) informers.GenericInformer {
	return generic{resource, f.For(resource, func() clientcache.SharedIndexInformer {
		byNamespace := clientcache.Indexers{clientcache.NamespaceIndex: clientcache.MetaNamespaceIndexFunc}
		return newInformer(f.client, resource, f.namespace, f.resync, byNamespace, f.tweak)
	})}
}

// NewFilteredDynamicInformer returns an informer that belongs to no factory: the caller
// runs it. Its objects are *unstructured.Unstructured.
func NewFilteredDynamicInformer(client dynamic.Interface, gvr schema.GroupVersionResource, namespace string, resyncPeriod time.Duration, indexers clientcache.Indexers, tweakListOptions TweakListOptionsFunc) informers.GenericInformer {
	return generic{gvr, newInformer(client, gvr, namespace, resyncPeriod, indexers, tweakListOptions)}
}

func newInformer(client dynamic.Interface, resource schema.GroupVersionResource, namespace string, resync time.Duration, indexers clientcache.Indexers, tweak TweakListOptionsFunc) clientcache.SharedIndexInformer {
	var reader *rest.RESTClient
	if direct, ok := client.(*directClient); ok {
		reader = direct.reader
	}
	lw := byresource.Source(client, reader, resource, namespace, tweak, func() interop.Client[*unstructured.UnstructuredList] {
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
