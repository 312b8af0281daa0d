package interop

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientcache "k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// SharedIndexInformer returns an informer of this module as a client-go informer, for
// generated factories and libraries based on client-go. The example of
// [NewSharedIndexInformer] shows how to put one into a generated factory.
//
// Handlers receive client-go's DeletedFinalStateUnknown. Handlers of a type of package
// cache, such as its ResourceEventHandlerFuncs, receive the type of the same name in
// package cache, which a file with switched imports uses.
//
// A watch error handler receives a client-go Reflector with the name and the type
// description of ours, for logs. That Reflector cannot be run.
func SharedIndexInformer(ours cache.SharedIndexInformer) clientcache.SharedIndexInformer {
	return informed{SharedIndexInformer: ours}
}

// InformerOf returns a typed informer as a client-go informer. Its transform and its
// watch error handler come from its Options; setting them here is an error, and so is
// writing to its store.
func InformerOf[T rest.Object](typed *informer.SharedInformer[T]) clientcache.SharedIndexInformer {
	return SharedIndexInformer(cache.InformerOf(typed))
}

// NewSharedIndexInformer has the signature of client-go's function and returns an
// informer of this module. Use it where a function that creates informers is expected,
// such as in a generated factory's InformerFor and in NewInformer of controller-runtime's
// cache.Options.
func NewSharedIndexInformer(lw clientcache.ListerWatcher, example runtime.Object, resync time.Duration, indexers clientcache.Indexers) clientcache.SharedIndexInformer {
	return NewSharedIndexInformerWithOptions(lw, example, clientcache.SharedIndexInformerOptions{ResyncPeriod: resync, Indexers: indexers})
}

// NewSharedInformer is [NewSharedIndexInformer] without indexes.
func NewSharedInformer(lw clientcache.ListerWatcher, example runtime.Object, resync time.Duration) clientcache.SharedInformer {
	return NewSharedIndexInformer(lw, example, resync, nil)
}

// NewSharedIndexInformerWithOptions has the signature of client-go's function and returns
// an informer of this module, for generated code and other code with such options.
//
// The informer has metrics if its Identifier is reserved and its InformerMetricsProvider is
// set. The provider receives that Identifier. Without an InformerMetricsProvider the
// informer has no metrics: the provider of client-go's SetInformerMetricsProvider cannot be
// read.
func NewSharedIndexInformerWithOptions(lw clientcache.ListerWatcher, example runtime.Object, options clientcache.SharedIndexInformerOptions) clientcache.SharedIndexInformer {
	ours := cache.SharedIndexInformerOptions{
		ResyncPeriod:      options.ResyncPeriod,
		Indexers:          indexersOf(options.Indexers),
		ObjectDescription: options.ObjectDescription,
	}
	if !options.Identifier.Reserved() || options.InformerMetricsProvider == nil {
		return newInformed(lw, example, ours)
	}
	name, err := reserveName()
	if err != nil {
		return newInformed(lw, example, ours)
	}
	ours.Identifier = name.WithResource(options.Identifier.GroupVersionResource())
	ours.InformerMetricsProvider = &metrics{options.Identifier, options.InformerMetricsProvider}
	return newMeasured(newInformed(lw, example, ours), name)
}

// informed embeds the methods that are equal in both interfaces; the others follow.
type informed struct {
	cache.SharedIndexInformer
	// indexer is what GetIndexer returns, which programs call for each event. It is nil if
	// the informer is of another package, whose GetIndexer may be called only on request.
	indexer clientcache.Indexer
}

func newInformed(lw clientcache.ListerWatcher, example runtime.Object, options cache.SharedIndexInformerOptions) informed {
	ours := cache.NewSharedIndexInformerWithOptions(lw, example, options)
	return informed{ours, Indexer(ours.GetIndexer())}
}

// AddEventHandler implements [clientcache.SharedInformer].
func (i informed) AddEventHandler(handler clientcache.ResourceEventHandler) (clientcache.ResourceEventHandlerRegistration, error) {
	return registered(i.SharedIndexInformer.AddEventHandler(handlerOf(handler)))
}

// AddEventHandlerWithResyncPeriod implements [clientcache.SharedInformer].
func (i informed) AddEventHandlerWithResyncPeriod(handler clientcache.ResourceEventHandler, period time.Duration) (clientcache.ResourceEventHandlerRegistration, error) {
	return registered(i.SharedIndexInformer.AddEventHandlerWithResyncPeriod(handlerOf(handler), period))
}

// AddEventHandlerWithOptions implements [clientcache.SharedInformer].
func (i informed) AddEventHandlerWithOptions(handler clientcache.ResourceEventHandler, o clientcache.HandlerOptions) (clientcache.ResourceEventHandlerRegistration, error) {
	return registered(i.SharedIndexInformer.AddEventHandlerWithOptions(handlerOf(handler), cache.HandlerOptions{
		Logger: o.Logger, ResyncPeriod: o.ResyncPeriod,
	}))
}

// RemoveEventHandler implements [clientcache.SharedInformer].
func (i informed) RemoveEventHandler(handle clientcache.ResourceEventHandlerRegistration) error {
	ours, err := registrationOf(handle)
	if err != nil {
		return err
	}
	return i.SharedIndexInformer.RemoveEventHandler(ours)
}

// GetStore implements [clientcache.SharedInformer]. As with client-go, it has the
// methods of an Indexer.
func (i informed) GetStore() clientcache.Store { return i.GetIndexer() }

// GetIndexer implements [clientcache.SharedIndexInformer].
func (i informed) GetIndexer() clientcache.Indexer {
	if i.indexer != nil {
		return i.indexer
	}
	return Indexer(i.SharedIndexInformer.GetIndexer())
}

// AddIndexers implements [clientcache.SharedIndexInformer].
func (i informed) AddIndexers(theirs clientcache.Indexers) error {
	return i.SharedIndexInformer.AddIndexers(indexersOf(theirs))
}

// GetController implements [clientcache.SharedInformer].
func (i informed) GetController() clientcache.Controller {
	//lint:ignore SA1019 The caller uses client-go's interface.
	return controlled{i.SharedIndexInformer.GetController()}
}

// HasSyncedChecker implements [clientcache.SharedInformer].
func (i informed) HasSyncedChecker() clientcache.DoneChecker {
	return i.SharedIndexInformer.HasSyncedChecker()
}

// SetTransform implements [clientcache.SharedInformer].
func (i informed) SetTransform(transform clientcache.TransformFunc) error {
	return i.SharedIndexInformer.SetTransform(cache.TransformFunc(transform))
}

// SetWatchErrorHandler implements [clientcache.SharedInformer].
func (i informed) SetWatchErrorHandler(handler clientcache.WatchErrorHandler) error {
	if handler == nil {
		return i.SharedIndexInformer.SetWatchErrorHandler(nil)
	}
	return i.SetWatchErrorHandlerWithContext(func(_ context.Context, r *clientcache.Reflector, err error) { handler(r, err) })
}

// SetWatchErrorHandlerWithContext implements [clientcache.SharedInformer].
func (i informed) SetWatchErrorHandlerWithContext(handler clientcache.WatchErrorHandlerWithContext) error {
	return i.SharedIndexInformer.SetWatchErrorHandlerWithContext(watchErrorHandlerOf(handler))
}

// controlled is an informer with the methods of a Controller.
type controlled struct{ cache.Controller }

// HasSyncedChecker implements [clientcache.Controller].
func (c controlled) HasSyncedChecker() clientcache.DoneChecker {
	return c.Controller.HasSyncedChecker()
}
