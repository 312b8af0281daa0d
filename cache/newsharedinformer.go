package cache

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/thinformer/thinformer/informer"
)

// SharedIndexInformerOptions configures an informer. The zero value is a working
// default.
type SharedIndexInformerOptions struct {
	// ResyncPeriod is that of handlers which do not say theirs. Default: never.
	ResyncPeriod time.Duration
	// Indexers are the first indexes. Default: none.
	Indexers Indexers
	// ObjectDescription says what the objects are, to humans. Default: the type,
	// or the kind, of the example object.
	ObjectDescription string
	// Identifier tells the informer's metrics from others. Default: there are no
	// metrics.
	Identifier InformerNameAndResource
	// InformerMetricsProvider makes the metrics. Default: what
	// SetInformerMetricsProvider has set.
	InformerMetricsProvider InformerMetricsProvider
}

// NewSharedInformer is NewSharedIndexInformer without indexes.
func NewSharedInformer(lw ListerWatcher, exampleObject runtime.Object, defaultEventHandlerResyncPeriod time.Duration) SharedInformer {
	return NewSharedIndexInformer(lw, exampleObject, defaultEventHandlerResyncPeriod, nil)
}

// NewSharedIndexInformer is NewSharedIndexInformerWithOptions with the two options
// that most have.
func NewSharedIndexInformer(lw ListerWatcher, exampleObject runtime.Object, defaultEventHandlerResyncPeriod time.Duration, indexers Indexers) SharedIndexInformer {
	return NewSharedIndexInformerWithOptions(lw, exampleObject, SharedIndexInformerOptions{
		ResyncPeriod: defaultEventHandlerResyncPeriod,
		Indexers:     indexers,
	})
}

// NewSharedIndexInformerWithOptions returns an informer that does nothing until
// it is run. exampleObject is an object of the type that the source has; an
// *unstructured.Unstructured with apiVersion and kind says that they are all of
// that kind, and nil takes whatever comes. What else comes is reported and left
// out.
func NewSharedIndexInformerWithOptions(lw ListerWatcher, exampleObject runtime.Object, options SharedIndexInformerOptions) SharedIndexInformer {
	return newSharedInformer(lw, exampleObject, options, informerExtras{})
}

// informerExtras are options that only the NewInformer family has.
type informerExtras struct {
	minWatchTimeout time.Duration
	transform       TransformFunc
}

func newSharedInformer(lw ListerWatcher, exampleObject runtime.Object, o SharedIndexInformerOptions, extras informerExtras) *informerOf[any] {
	name := o.ObjectDescription
	if name == "" {
		name = typeDescriptionOf(exampleObject)
	}
	store := newIndexer(DeletionHandlingMetaNamespaceKeyFunc, o.Indexers, WithStoreMetrics(o.Identifier, o.InformerMetricsProvider))
	i := &informerOf[any]{
		indexer:      store,
		name:         name,
		keyOf:        MetaNamespaceKeyFunc,
		resyncPeriod: o.ResyncPeriod,
		logger:       &runLogger{},
		late:         &lateOptions{transform: extras.transform},
	}
	i.late.unhandled = reflectorLog(name, i.logger)
	i.late.view = newReflectorView(name, name, i.LastSyncResourceVersion)
	i.typed = informer.NewFrom(sourceOf[any](lw, sourceOptions{Expected: exampleObject}),
		informer.Parts[any]{Store: store.ix, KeyFunc: MetaNamespaceKeyFunc},
		informer.Options[any]{
			Name:              name,
			Transform:         i.late.transformed,
			WatchErrorHandler: i.late.failed,
			WatchTimeout:      watchTimeout(extras.minWatchTimeout),
			Logger:            i.logger.slog(),
			Trace:             metricsTrace(newQueueMetrics(o.Identifier, o.InformerMetricsProvider), store.metrics),
		})
	return i
}
