package cache

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

// InformerOptions configures an informer with one handler.
type InformerOptions struct {
	// Logger is where problems are logged. Default: that of the context of Run,
	// else klog's.
	Logger *klog.Logger
	// ListerWatcher is where the objects come from.
	ListerWatcher ListerWatcher
	// ObjectType is an object of the type that the source has; see
	// NewSharedIndexInformerWithOptions.
	ObjectType runtime.Object
	// Handler is told what happens. Default: nobody is.
	Handler ResourceEventHandler
	// ResyncPeriod is how often Handler gets an OnUpdate of every object as it is.
	// Default: never.
	ResyncPeriod time.Duration
	// MinWatchTimeout is how long the server is asked at least to keep a watch
	// open. Default, and least: five minutes.
	MinWatchTimeout time.Duration
	// Indexers are the indexes of the store, which is an Indexer in any case.
	// Default: none.
	Indexers Indexers
	// Transform changes every object before it is stored. Default: none.
	Transform TransformFunc
	// Identifier tells the informer's metrics from others. Default: there are no
	// metrics.
	Identifier InformerNameAndResource
	// InformerMetricsProvider makes the metrics. Default: what
	// SetInformerMetricsProvider has set.
	InformerMetricsProvider InformerMetricsProvider
}

// NewInformerWithOptions returns a store, and the controller that fills it when
// it is run and tells a handler what happens. Nobody else is to write to the
// store.
//
// The handler has a goroutine of its own: while it works, the store goes on.
func NewInformerWithOptions(options InformerOptions) (Store, Controller) {
	return newInformer(options)
}

// NewInformer is NewInformerWithOptions with the options that most have.
//
// Deprecated: use NewInformerWithOptions.
func NewInformer(lw ListerWatcher, objType runtime.Object, resyncPeriod time.Duration, h ResourceEventHandler) (Store, Controller) {
	return newInformer(InformerOptions{ListerWatcher: lw, ObjectType: objType, ResyncPeriod: resyncPeriod, Handler: h})
}

// NewIndexerInformer is NewInformer with indexes.
//
// Deprecated: use NewInformerWithOptions.
func NewIndexerInformer(lw ListerWatcher, objType runtime.Object, resyncPeriod time.Duration, h ResourceEventHandler, indexers Indexers) (Indexer, Controller) {
	return newInformer(InformerOptions{ListerWatcher: lw, ObjectType: objType, ResyncPeriod: resyncPeriod, Handler: h, Indexers: indexers})
}

// NewTransformingInformer is NewInformer with a transform.
//
// Deprecated: use NewInformerWithOptions.
func NewTransformingInformer(lw ListerWatcher, objType runtime.Object, resyncPeriod time.Duration, h ResourceEventHandler, transformer TransformFunc) (Store, Controller) {
	return newInformer(InformerOptions{ListerWatcher: lw, ObjectType: objType, ResyncPeriod: resyncPeriod, Handler: h, Transform: transformer})
}

// NewTransformingIndexerInformer is NewInformer with indexes and a transform.
//
// Deprecated: use NewInformerWithOptions.
func NewTransformingIndexerInformer(lw ListerWatcher, objType runtime.Object, resyncPeriod time.Duration, h ResourceEventHandler, indexers Indexers, transformer TransformFunc) (Indexer, Controller) {
	return newInformer(InformerOptions{ListerWatcher: lw, ObjectType: objType, ResyncPeriod: resyncPeriod, Handler: h, Indexers: indexers, Transform: transformer})
}

func newInformer(o InformerOptions) (Indexer, Controller) {
	i := newSharedInformer(o.ListerWatcher, o.ObjectType, SharedIndexInformerOptions{
		ResyncPeriod: o.ResyncPeriod, Indexers: o.Indexers,
		Identifier: o.Identifier, InformerMetricsProvider: o.InformerMetricsProvider,
	}, informerExtras{minWatchTimeout: o.MinWatchTimeout, transform: o.Transform})
	c := &informerController{SharedIndexInformer: i, logger: o.Logger}
	if o.Handler == nil {
		return i.indexer, c
	}
	c.told, c.wrong = i.AddEventHandlerWithOptions(o.Handler, HandlerOptions{Logger: o.Logger})
	return i.indexer, c
}

// informerController is an informer with one handler, which has synced when the
// handler has been told.
type informerController struct {
	SharedIndexInformer
	logger *klog.Logger
	// told is nil where there is no handler. wrong is why there is none although
	// one was given.
	told  ResourceEventHandlerRegistration
	wrong error
}

var _ Controller = (*informerController)(nil)

func (c *informerController) Run(stopCh <-chan struct{}) {
	c.RunWithContext(wait.ContextForChannel(stopCh))
}

func (c *informerController) RunWithContext(ctx context.Context) {
	if c.logger != nil {
		ctx = klog.NewContext(ctx, *c.logger)
	}
	if c.wrong != nil {
		klog.FromContext(ctx).Error(c.wrong, "An informer does not run")
		return
	}
	c.SharedIndexInformer.RunWithContext(ctx)
}

func (c *informerController) HasSynced() bool {
	if c.told == nil {
		return c.SharedIndexInformer.HasSynced()
	}
	return c.told.HasSynced()
}

func (c *informerController) HasSyncedChecker() DoneChecker {
	if c.told == nil {
		return c.SharedIndexInformer.HasSyncedChecker()
	}
	return c.told.HasSyncedChecker()
}
