// The work is done by package informer.

package cache

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/cache/internal/klogger"
	"github.com/thinformer/thinformer/informer"
)

// SharedInformer keeps a Store equal to a source and notifies any number of
// handlers of each change. NewSharedInformer returns one.
type SharedInformer interface {
	// AddEventHandler adds a handler, before or while the informer runs, with the
	// resync period of the informer.
	AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error)
	// AddEventHandlerWithResyncPeriod adds a handler that receives an OnUpdate
	// of every object each period; 0 means never.
	AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, resyncPeriod time.Duration) (ResourceEventHandlerRegistration, error)
	// AddEventHandlerWithOptions adds a handler with options.
	AddEventHandlerWithOptions(handler ResourceEventHandler, options HandlerOptions) (ResourceEventHandlerRegistration, error)
	// RemoveEventHandler removes a handler. It does not wait for a running
	// call; no further call begins. ShutDownEventHandler waits.
	RemoveEventHandler(handle ResourceEventHandlerRegistration) error
	// GetStore returns the store. An object that is written to it by other code
	// differs from the server until the next event of that object.
	GetStore() Store
	// GetController returns a view of the informer with fewer methods. Its Run
	// does nothing.
	//
	// Deprecated: call the methods of the informer.
	GetController() Controller
	// Run keeps the store up to date and notifies the handlers until stopCh is
	// closed. It returns when all goroutines that it started have ended. An
	// informer runs only once: a second Run logs a warning and returns.
	Run(stopCh <-chan struct{})
	// RunWithContext is Run with a context.
	RunWithContext(ctx context.Context)
	// HasSynced reports whether the first list is in the store. HasSynced of a
	// registration reports whether the handler has received it.
	HasSynced() bool
	// HasSyncedChecker returns a DoneChecker for HasSynced.
	HasSyncedChecker() DoneChecker
	// LastSyncResourceVersion returns the newest resource version received from
	// the source. The store may not have reached it yet; see its
	// LastStoreSyncResourceVersion.
	LastSyncResourceVersion() string
	// SetWatchErrorHandler sets the function that is called when the store
	// cannot be kept up to date. It must be called before Run.
	SetWatchErrorHandler(handler WatchErrorHandler) error
	// SetWatchErrorHandlerWithContext is SetWatchErrorHandler with the context of
	// Run.
	SetWatchErrorHandlerWithContext(handler WatchErrorHandlerWithContext) error
	// SetTransform sets the function that changes each object before it is
	// stored. It must be called before Run.
	SetTransform(handler TransformFunc) error
	// IsStopped reports whether the informer has run and has stopped.
	IsStopped() bool
}

// SharedIndexInformer is a SharedInformer with indexes. NewSharedIndexInformer
// makes one.
type SharedIndexInformer interface {
	SharedInformer
	// AddIndexers adds indexes, before or while the informer runs.
	AddIndexers(indexers Indexers) error
	// GetIndexer returns the store with its indexes.
	GetIndexer() Indexer
}

// ResourceEventHandlerRegistration represents a handler that was added to an
// informer.
type ResourceEventHandlerRegistration interface {
	// HasSynced reports whether the handler has processed the whole initial
	// list.
	HasSynced() bool
	// HasSyncedChecker returns a DoneChecker for HasSynced.
	HasSyncedChecker() DoneChecker
}

// HandlerOptions configures one handler. The zero value is a working default.
type HandlerOptions struct {
	// Logger receives problems of the handler. Default: that of the context of
	// Run, else klog's.
	Logger *klog.Logger
	// ResyncPeriod is the interval at which the handler receives an OnUpdate of
	// every object. Default: the informer's.
	ResyncPeriod *time.Duration
	// MaxPending is the number of notifications that may be pending for the
	// handler. Beyond it they are merged per key, which bounds the memory that
	// a blocked handler uses: see informer.HandlerOptions. client-go has no
	// such field. Default: notifications are never merged.
	MaxPending int
}

// SharedIndexInformerOptions configures an informer. The zero value is a working
// default.
type SharedIndexInformerOptions struct {
	// ResyncPeriod is the default of handlers without their own period.
	// Default: never.
	ResyncPeriod time.Duration
	// Indexers are the first indexes. Default: none.
	Indexers Indexers
	// ObjectDescription describes the objects in logs. Default: the type or the
	// kind of the example object.
	ObjectDescription string
	// Identifier identifies the informer in metrics. Default: no metrics.
	Identifier InformerNameAndResource
	// InformerMetricsProvider creates the metrics. Default: the provider of
	// SetInformerMetricsProvider.
	InformerMetricsProvider InformerMetricsProvider
}

// NewSharedInformer is NewSharedIndexInformer without indexes.
func NewSharedInformer(lw ListerWatcher, exampleObject runtime.Object, defaultEventHandlerResyncPeriod time.Duration) SharedInformer {
	return NewSharedIndexInformer(lw, exampleObject, defaultEventHandlerResyncPeriod, nil)
}

// NewSharedIndexInformer is NewSharedIndexInformerWithOptions with the two most
// common options.
func NewSharedIndexInformer(lw ListerWatcher, exampleObject runtime.Object, defaultEventHandlerResyncPeriod time.Duration, indexers Indexers) SharedIndexInformer {
	return NewSharedIndexInformerWithOptions(lw, exampleObject, SharedIndexInformerOptions{
		ResyncPeriod: defaultEventHandlerResyncPeriod,
		Indexers:     indexers,
	})
}

// NewSharedIndexInformerWithOptions returns an informer that does nothing until
// it is run. exampleObject is an object of the type of the source. An
// *unstructured.Unstructured with apiVersion and kind means that all objects
// have that kind; nil accepts every object. Other objects are reported and left
// out.
func NewSharedIndexInformerWithOptions(lw ListerWatcher, exampleObject runtime.Object, options SharedIndexInformerOptions) SharedIndexInformer {
	return newSharedInformer(lw, exampleObject, options, informerExtras{})
}

// informerExtras are options that only the NewInformer functions have.
type informerExtras struct {
	minWatchTimeout time.Duration
	transform       TransformFunc
}

func newSharedInformer(lw ListerWatcher, exampleObject runtime.Object, o SharedIndexInformerOptions, extras informerExtras) *informerOf[any] {
	name := o.ObjectDescription
	if name == "" {
		name = nameWithNamespace(typeDescriptionOf(exampleObject), lw)
	}
	store := newIndexer(DeletionHandlingMetaNamespaceKeyFunc, o.Indexers, WithStoreMetrics(o.Identifier, o.InformerMetricsProvider))
	i := &informerOf[any]{
		indexer:      store,
		name:         name,
		keyOf:        MetaNamespaceKeyFunc,
		resyncPeriod: o.ResyncPeriod,
		logger:       &klogger.RunLogger{},
		late:         &lateOptions{transform: extras.transform},
	}
	i.late.unhandled = logWatchErrors(name, i.logger)
	i.late.view = newReflectorView(name, name, i.LastSyncResourceVersion)
	i.typed = informer.NewFrom(sourceOf[any](lw, sourceOptions{Expected: exampleObject}),
		informer.StoreConfig[any]{Store: store.ix, KeyFunc: MetaNamespaceKeyFunc},
		informer.Options[any]{
			Name:              name,
			Transform:         i.late.transformed,
			WatchErrorHandler: i.late.failed,
			WatchTimeout:      watchTimeout(extras.minWatchTimeout),
			Logger:            i.logger.Slog(),
			Trace:             metricsTrace(newQueueMetrics(o.Identifier, o.InformerMetricsProvider), store.metrics),
		})
	return i
}

// TypedSharedIndexInformer is a SharedIndexInformer with methods for handlers
// and indexes of one type. NewTypedSharedIndexInformer returns one.
type TypedSharedIndexInformer[T Object] interface {
	SharedIndexInformer
	// AddTypedEventHandler is the typed form of AddEventHandlerWithOptions. It
	// accepts at most one HandlerOptions.
	AddTypedEventHandler(handler TypedResourceEventHandler[T], options ...HandlerOptions) (ResourceEventHandlerRegistration, error)
	// AddTypedIndexers is the typed form of AddIndexers.
	AddTypedIndexers(indexers TypedIndexers[T]) error
	// GetTypedIndexer is the typed form of GetIndexer.
	GetTypedIndexer() TypedIndexer[T]
}

// NewTypedSharedIndexInformer adds typed methods to informer. All of its
// objects must be of type T.
func NewTypedSharedIndexInformer[T Object](informer SharedIndexInformer) TypedSharedIndexInformer[T] {
	return &typedInformer[T]{informer}
}

type typedInformer[T Object] struct{ SharedIndexInformer }

func (i *typedInformer[T]) AddTypedEventHandler(handler TypedResourceEventHandler[T], options ...HandlerOptions) (ResourceEventHandlerRegistration, error) {
	var o HandlerOptions
	switch len(options) {
	case 0:
	case 1:
		o = options[0]
	default:
		return nil, fmt.Errorf("adding a typed event handler: got %d HandlerOptions, want at most 1", len(options))
	}
	return i.AddEventHandlerWithOptions(&typedHandler[T]{handler}, o)
}

func (i *typedInformer[T]) AddTypedIndexers(indexers TypedIndexers[T]) error {
	return i.AddIndexers(TypedIndexersToIndexers(indexers))
}

func (i *typedInformer[T]) GetTypedIndexer() TypedIndexer[T] {
	return typedIndexer[T]{i.GetIndexer()}
}
