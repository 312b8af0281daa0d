package metadatainformer

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop/internal/shared"
)

// SharedInformerFactory is client-go's interface.
type SharedInformerFactory = metadatainformer.SharedInformerFactory

// TweakListOptionsFunc is client-go's type.
type TweakListOptionsFunc = metadatainformer.TweakListOptionsFunc

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
