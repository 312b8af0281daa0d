// The work is done by package informer.

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
	// Logger is the logger. Default: that of the context of Run, else klog's.
	Logger *klog.Logger
	// ListerWatcher is the source of the objects.
	ListerWatcher ListerWatcher
	// ObjectType is an example of the type of the objects; see
	// NewSharedIndexInformerWithOptions.
	ObjectType runtime.Object
	// Handler receives the changes. Default: none.
	Handler ResourceEventHandler
	// ResyncPeriod is the interval at which Handler receives an OnUpdate of
	// every object. Default: never.
	ResyncPeriod time.Duration
	// MinWatchTimeout is the minimum time for which the server is asked to keep
	// a watch open. Default and minimum: five minutes.
	MinWatchTimeout time.Duration
	// Indexers are the indexes of the store. Default: none. The store is always
	// an Indexer.
	Indexers Indexers
	// Transform changes every object before it is stored. Default: none.
	Transform TransformFunc
	// Identifier identifies the informer in metrics. Default: no metrics.
	Identifier InformerNameAndResource
	// InformerMetricsProvider creates the metrics. Default: the provider of
	// SetInformerMetricsProvider.
	InformerMetricsProvider InformerMetricsProvider
}

// NewInformerWithOptions returns a store and a controller. When the controller
// is run, it fills the store and calls the handler. Other code must not write
// to the store.
//
// The handler runs on its own goroutine. The store does not wait for it.
func NewInformerWithOptions(options InformerOptions) (Store, Controller) {
	return newInformer(options)
}

// NewInformer is NewInformerWithOptions with the most common options.
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
	c.registration, c.err = i.AddEventHandlerWithOptions(o.Handler, HandlerOptions{Logger: o.Logger})
	return i.indexer, c
}

// informerController is an informer with one handler. It has synced when the
// handler has processed the initial list.
type informerController struct {
	SharedIndexInformer
	logger *klog.Logger
	// registration is nil if there is no handler. err is the error of adding
	// the handler.
	registration ResourceEventHandlerRegistration
	err          error
}

var _ Controller = (*informerController)(nil)

func (c *informerController) Run(stopCh <-chan struct{}) {
	c.RunWithContext(wait.ContextForChannel(stopCh))
}

func (c *informerController) RunWithContext(ctx context.Context) {
	if c.logger != nil {
		ctx = klog.NewContext(ctx, *c.logger)
	}
	if c.err != nil {
		klog.FromContext(ctx).Error(c.err, "Informer cannot run")
		return
	}
	c.SharedIndexInformer.RunWithContext(ctx)
}

func (c *informerController) HasSynced() bool {
	if c.registration == nil {
		return c.SharedIndexInformer.HasSynced()
	}
	return c.registration.HasSynced()
}

func (c *informerController) HasSyncedChecker() DoneChecker {
	if c.registration == nil {
		return c.SharedIndexInformer.HasSyncedChecker()
	}
	return c.registration.HasSyncedChecker()
}
