package factory

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

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
	view    View[C, F]

	informers shared.Informers[reflect.Type]

	mu      sync.Mutex
	generic map[schema.GroupVersionResource]*GenericInformer // those that were requested
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
	f.view = View[C, F]{factory: f, own: f, namespace: f.options.namespace, tweak: f.options.tweak}
	return f
}

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
	return f.informerFor(reflect.TypeOf(obj), newInformer)
}

// ForResource returns the informer and the lister of a resource in the table. Kinds is
// called the first time that the resource is requested.
func (f *Factory[C, F]) ForResource(resource schema.GroupVersionResource, kinds func() []Kind[C]) (*GenericInformer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if found := f.generic[resource]; found != nil {
		return found, nil
	}
	table := kinds()
	i := slices.IndexFunc(table, func(kind Kind[C]) bool { return kind.resource == resource })
	if i < 0 {
		return nil, fmt.Errorf("no informer found for %v", resource)
	}
	informer := f.informerFor(table[i].object, func(client C, resync time.Duration) clientcache.SharedIndexInformer {
		return f.view.fromTable(table[i], client, resync)
	})
	if f.generic == nil {
		f.generic = map[schema.GroupVersionResource]*GenericInformer{}
	}
	f.generic[resource] = &GenericInformer{informer: informer, resource: resource.GroupResource()}
	return f.generic[resource], nil
}

// engine finds a Factory in the type of a generated file that embeds it.
func (f *Factory[C, F]) engine() *Factory[C, F] { return f }

// informerFor returns the informer of a type, which create creates the first time.
func (f *Factory[C, F]) informerFor(object reflect.Type, create func(C, time.Duration) clientcache.SharedIndexInformer) clientcache.SharedIndexInformer {
	return f.informers.For(object, func() clientcache.SharedIndexInformer {
		resync, custom := f.options.customResync[object]
		if !custom {
			resync = f.resync
		}
		informer := create(f.client, resync)
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
