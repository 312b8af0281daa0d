package factory

import (
	"context"
	"fmt"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientcache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/interop/internal/shared"
)

// Factory is a factory of shared informers, one for each Go type. C is the interface of
// the clientset, and F the type of the functions that create an informer, which each
// generated factory declares.
//
// Its methods behave as those of a generated factory, and can be called concurrently.
type Factory[C any, F ~func(C, time.Duration) clientcache.SharedIndexInformer] struct {
	client  C
	resync  time.Duration
	options options

	informers shared.Informers[reflect.Type]
}

// New returns a factory. Its informers have the resync period, unless
// WithCustomResyncConfig has another one for their type.
func New[C any, F ~func(C, time.Duration) clientcache.SharedIndexInformer](client C, resync time.Duration, opts ...Option) *Factory[C, F] {
	f := &Factory[C, F]{
		client: client, resync: resync,
		options: options{customResync: map[reflect.Type]time.Duration{}},
	}
	for _, option := range opts {
		option(&f.options)
	}
	return f
}

// Namespace returns the namespace of the informers, empty for all.
func (f *Factory[C, F]) Namespace() string { return f.options.namespace }

// TweakListOptions returns the function of WithTweakListOptions, or nil.
func (f *Factory[C, F]) TweakListOptions() func(*metav1.ListOptions) { return f.options.tweak }

// InformerName returns the name of WithInformerName, or nil.
func (f *Factory[C, F]) InformerName() *clientcache.InformerName { return f.options.name }

// Start starts the informers that were requested and not yet started. They run until the
// channel is closed. It does nothing after Shutdown.
func (f *Factory[C, F]) Start(stopCh <-chan struct{}) {
	f.informers.Start(stopCh)
}

// StartWithContext is Start with a context.
func (f *Factory[C, F]) StartWithContext(ctx context.Context) {
	f.informers.StartWithContext(ctx)
}

// Shutdown prevents the start of informers, waits until those that were started have
// ended, and releases the name of the informers. The caller ends them.
func (f *Factory[C, F]) Shutdown() {
	f.informers.Shutdown()
	f.options.name.Release()
}

// WaitForCacheSync waits until the informers that were started have synchronised or the
// channel is closed, and returns which of them have.
func (f *Factory[C, F]) WaitForCacheSync(stopCh <-chan struct{}) map[reflect.Type]bool {
	return f.informers.WaitForCacheSync(stopCh)
}

// WaitForCacheSyncWithContext is WaitForCacheSync with a context. The result has an error,
// the cause of the context's end, if an informer has not synchronised.
func (f *Factory[C, F]) WaitForCacheSyncWithContext(ctx context.Context) clientcache.SyncResult {
	result := clientcache.SyncResult{Synced: f.informers.WaitForCacheSyncWithContext(ctx)}
	for _, synced := range result.Synced {
		if !synced {
			result.Err = context.Cause(ctx)
		}
	}
	return result
}

// InformerFor returns the informer of the type of obj. If there is none, newInformer
// creates it, with the clientset and the resync period of the type.
func (f *Factory[C, F]) InformerFor(obj runtime.Object, newInformer F) clientcache.SharedIndexInformer {
	return f.informerFor(reflect.TypeOf(obj), func(_ reflect.Type, resync time.Duration) clientcache.SharedIndexInformer {
		return newInformer(f.client, resync)
	})
}

// ForResource returns the informer and the lister of a resource in the table.
func (f *Factory[C, F]) ForResource(resource schema.GroupVersionResource, kinds []Kind[C]) (*GenericInformer, error) {
	for _, kind := range kinds {
		if kind.resource == resource {
			informer := f.informerFor(kind.object, func(_ reflect.Type, resync time.Duration) clientcache.SharedIndexInformer {
				return f.fromTable(kind, resync)
			})
			return &GenericInformer{informer: informer, resource: resource.GroupResource()}, nil
		}
	}
	return nil, fmt.Errorf("no informer found for %v", resource)
}

// informerFor returns the informer of a type, which create creates the first time.
func (f *Factory[C, F]) informerFor(object reflect.Type, create func(reflect.Type, time.Duration) clientcache.SharedIndexInformer) clientcache.SharedIndexInformer {
	return f.informers.For(object, func() clientcache.SharedIndexInformer {
		resync, custom := f.options.customResync[object]
		if !custom {
			resync = f.resync
		}
		informer := create(object, resync)
		if isClientGos(informer) {
			klog.Background().Info("An informer of the factory is client-go's, and not thinformer's: create it with a function of package interop, or write the table of the factory again with thinformer-factory if it lacks the kind", "type", fmt.Sprint(object))
		}
		if f.options.transform != nil {
			// It fails only if the informer was started, and then keeps its own.
			_ = informer.SetTransform(f.options.transform)
		}
		return informer
	})
}

func (f *Factory[C, F]) fromTable(kind Kind[C], resync time.Duration) clientcache.SharedIndexInformer {
	return kind.newInformer(f.client, informerOptions{
		namespace: f.options.namespace, tweak: f.options.tweak, resync: resync, name: f.options.name,
		indexers: clientcache.Indexers{clientcache.NamespaceIndex: clientcache.MetaNamespaceIndexFunc},
	})
}
