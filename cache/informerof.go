package cache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// informerOf is a SharedIndexInformer over a typed informer. With T = any it is
// what NewSharedIndexInformer makes.
type informerOf[T any] struct {
	typed   *informer.SharedInformer[T]
	indexer Indexer
	// name says what the objects are, to humans.
	name  string
	keyOf func(T) (string, error)
	// resyncPeriod is that of handlers which do not say theirs.
	resyncPeriod time.Duration
	logger       *runLogger
	// late is what is set after the informer is made. It is nil for one that
	// somebody else has made.
	late *lateOptions
}

var _ SharedIndexInformer = (*informerOf[any])(nil)

// InformerOf is a typed informer as legacy code takes one: both are the same, and
// either may be run. What the Options of a typed informer have, transform and
// watch error handler, cannot be set here; that is an error. So is a write to the
// store, which a typed informer leaves to nobody; a Bookmark does nothing.
func InformerOf[T rest.Object](typed *informer.SharedInformer[T]) SharedIndexInformer {
	return &informerOf[T]{
		typed:   typed,
		indexer: readOnlyIndexerOf(typed),
		name:    typed.State().Name,
		keyOf:   indexer.MetaNamespaceKeyFunc[T],
		logger:  &runLogger{},
	}
}

// AddEventHandler adds a handler with the resync period of the informer.
func (i *informerOf[T]) AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error) {
	return i.AddEventHandlerWithOptions(handler, HandlerOptions{})
}

// AddEventHandlerWithResyncPeriod adds a handler with a resync period of its own.
func (i *informerOf[T]) AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, resyncPeriod time.Duration) (ResourceEventHandlerRegistration, error) {
	return i.AddEventHandlerWithOptions(handler, HandlerOptions{ResyncPeriod: &resyncPeriod})
}

// AddEventHandlerWithOptions adds a handler.
func (i *informerOf[T]) AddEventHandlerWithOptions(handler ResourceEventHandler, o HandlerOptions) (ResourceEventHandlerRegistration, error) {
	if err := wrongWithHandler(handler); err != nil {
		return nil, fmt.Errorf("adding an event handler to the informer of %s: %w", i.name, err)
	}
	logger := i.logger.klog
	if o.Logger != nil {
		logger = func() klog.Logger { return *o.Logger }
	}
	name := nameOfHandler(handler)
	typed, err := i.typed.AddEventHandler(listener[T]{handler: handler, keyOf: i.keyOf, logger: logger}, i.handlerOptions(name, o))
	if err != nil {
		return nil, fmt.Errorf("adding the event handler %s to the informer of %s: %w", name, i.name, err)
	}
	return &registration{typed: typed, owner: i.typed, name: i.checkerName() + " + handler " + name}, nil
}

// handlerOptions has panics end the process: what is to become of one has been
// decided before it gets that far.
func (i *informerOf[T]) handlerOptions(name string, o HandlerOptions) informer.HandlerOptions {
	typed := informer.HandlerOptions{Name: name, MaxPending: o.MaxPending, ResyncPeriod: i.resyncPeriod, Panic: informer.CrashOnPanic}
	if o.ResyncPeriod != nil {
		typed.ResyncPeriod = *o.ResyncPeriod
	}
	typed.ResyncPeriod = max(typed.ResyncPeriod, 0)
	if typed.MaxPending <= 0 {
		typed.MaxPending = -1
	}
	return typed
}

// RemoveEventHandler takes a handler out. That it is not in this informer, or no
// longer, is no error.
func (i *informerOf[T]) RemoveEventHandler(handle ResourceEventHandlerRegistration) error {
	r, ok := handle.(*registration)
	if !ok {
		return fmt.Errorf("removing an event handler from the informer of %s: a %T is not what adding one has returned", i.name, handle)
	}
	if r != nil && r.owner == any(i.typed) {
		r.typed.Remove()
	}
	return nil
}

// Run is RunWithContext with a channel.
func (i *informerOf[T]) Run(stopCh <-chan struct{}) {
	i.RunWithContext(wait.ContextForChannel(stopCh))
}

// RunWithContext runs the informer, once, until ctx is done.
func (i *informerOf[T]) RunWithContext(ctx context.Context) {
	var err error
	if i.late != nil {
		err = i.late.begin()
	}
	if err == nil {
		i.logger.set(klog.FromContext(ctx))
		err = i.typed.Run(ctx)
	}
	switch {
	case errors.Is(err, informer.ErrRunning), errors.Is(err, informer.ErrStopped):
		klog.FromContext(ctx).Info("Warning: an informer runs once, and this one has been run before", "informer", i.name)
	case err != nil:
		klog.FromContext(ctx).Error(err, "An informer does not run", "informer", i.name)
	}
}

// HasSynced reports whether the first list is in the store.
func (i *informerOf[T]) HasSynced() bool { return i.typed.HasSynced() }

// HasSyncedChecker is HasSynced to wait for.
func (i *informerOf[T]) HasSyncedChecker() DoneChecker {
	return doneChecker{name: i.checkerName(), done: i.typed.Synced()}
}

func (i *informerOf[T]) checkerName() string { return "SharedIndexInformer " + i.name }

// LastSyncResourceVersion is the newest version that the source has told.
func (i *informerOf[T]) LastSyncResourceVersion() string { return i.typed.State().Source.Version }

// IsStopped reports whether the informer has run and does no longer.
func (i *informerOf[T]) IsStopped() bool { return i.typed.State().Stopped }

// GetStore is the store.
func (i *informerOf[T]) GetStore() Store { return i.indexer }

// GetIndexer is the store with its indexes.
func (i *informerOf[T]) GetIndexer() Indexer { return i.indexer }

// AddIndexers adds indexes, unless the informer has stopped.
func (i *informerOf[T]) AddIndexers(indexers Indexers) error {
	if i.IsStopped() {
		return fmt.Errorf("adding indexers to the informer of %s: %w", i.name, informer.ErrStopped)
	}
	return i.indexer.AddIndexers(indexers)
}

// GetController is a view of the informer whose Run does nothing.
func (i *informerOf[T]) GetController() Controller { return controllerView{i} }

// SetWatchErrorHandler is SetWatchErrorHandlerWithContext without one.
func (i *informerOf[T]) SetWatchErrorHandler(handler WatchErrorHandler) error {
	if handler == nil {
		return i.SetWatchErrorHandlerWithContext(nil)
	}
	return i.SetWatchErrorHandlerWithContext(func(_ context.Context, r *Reflector, err error) { handler(r, err) })
}

// SetWatchErrorHandlerWithContext sets who is told of what keeps the store from
// being up to date. nil: it is logged.
func (i *informerOf[T]) SetWatchErrorHandlerWithContext(handler WatchErrorHandlerWithContext) error {
	if err := i.late.set(func(late *lateOptions) { late.watchErrorHandler = handler }); err != nil {
		return fmt.Errorf("setting the watch error handler of the informer of %s: %w", i.name, err)
	}
	return nil
}

// SetTransform sets what changes every object before it is stored. nil: nothing
// does.
func (i *informerOf[T]) SetTransform(handler TransformFunc) error {
	if err := i.late.set(func(late *lateOptions) { late.transform = handler }); err != nil {
		return fmt.Errorf("setting the transform of the informer of %s: %w", i.name, err)
	}
	return nil
}

// controllerView is what GetController returns.
type controllerView struct{ of SharedInformer }

func (v controllerView) Run(<-chan struct{})             {}
func (v controllerView) RunWithContext(context.Context)  {}
func (v controllerView) HasSynced() bool                 { return v.of.HasSynced() }
func (v controllerView) HasSyncedChecker() DoneChecker   { return v.of.HasSyncedChecker() }
func (v controllerView) LastSyncResourceVersion() string { return v.of.LastSyncResourceVersion() }
