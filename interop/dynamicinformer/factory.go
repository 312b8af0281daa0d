package dynamicinformer

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop/internal/shared"
)

// DynamicSharedInformerFactory is client-go's interface.
type DynamicSharedInformerFactory = dynamicinformer.DynamicSharedInformerFactory

// TweakListOptionsFunc is client-go's type.
type TweakListOptionsFunc = dynamicinformer.TweakListOptionsFunc

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
