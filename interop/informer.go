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

// SharedIndexInformer is an informer of this module as client-go's, for all that
// holds one: generated factories, and libraries on top of client-go. How a
// generated factory comes to hold one, an example of [NewSharedIndexInformer]
// shows.
//
// Handlers get client-go's DeletedFinalStateUnknown. Those that are of a type of
// package cache, like its ResourceEventHandlerFuncs, get that of package cache:
// who has switched such imports in a file has switched what they are given.
//
// A watch error handler gets a client-go Reflector that has the name and the
// type description of ours, for the log, and that cannot be run.
func SharedIndexInformer(ours cache.SharedIndexInformer) clientcache.SharedIndexInformer {
	return informed{ours}
}

// InformerOf is a typed informer as client-go's. It has its transform and its
// watch error handler from its Options; to set them here is an error, and so is a
// write to its store.
func InformerOf[T rest.Object](typed *informer.SharedInformer[T]) clientcache.SharedIndexInformer {
	return SharedIndexInformer(cache.InformerOf(typed))
}

// NewSharedIndexInformer is client-go's function of that name, whose informer is
// one of this module: for functions that make an informer for somebody else,
// like the ones that a generated factory's InformerFor and the NewInformer of
// controller-runtime's cache.Options take.
func NewSharedIndexInformer(lw clientcache.ListerWatcher, example runtime.Object, resync time.Duration, indexers clientcache.Indexers) clientcache.SharedIndexInformer {
	return SharedIndexInformer(cache.NewSharedIndexInformer(lw, example, resync, indexersOf(indexers)))
}

// informed is everything that the two interfaces spell alike, and what is left.
type informed struct{ cache.SharedIndexInformer }

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

// GetStore implements [clientcache.SharedInformer]. As client-go's, it has the
// methods of an Indexer.
func (i informed) GetStore() clientcache.Store { return i.GetIndexer() }

// GetIndexer implements [clientcache.SharedIndexInformer].
func (i informed) GetIndexer() clientcache.Indexer {
	return Indexer(i.SharedIndexInformer.GetIndexer())
}

// AddIndexers implements [clientcache.SharedIndexInformer].
func (i informed) AddIndexers(theirs clientcache.Indexers) error {
	return i.SharedIndexInformer.AddIndexers(indexersOf(theirs))
}

// GetController implements [clientcache.SharedInformer].
func (i informed) GetController() clientcache.Controller {
	//lint:ignore SA1019 Whoever asks for it does so by client-go's interface.
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

// controlled is the view of an informer that has fewer methods.
type controlled struct{ cache.Controller }

// HasSyncedChecker implements [clientcache.Controller].
func (c controlled) HasSyncedChecker() clientcache.DoneChecker {
	return c.Controller.HasSyncedChecker()
}
