// The work is done by package informer.

package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/cache/internal/klogger"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// informerOf is a SharedIndexInformer over a typed informer.
// NewSharedIndexInformer uses it with T = any.
type informerOf[T any] struct {
	typed   *informer.SharedInformer[T]
	indexer Indexer
	// name describes the objects in logs.
	name  string
	keyOf func(T) (string, error)
	// resyncPeriod is the default of handlers that have none.
	resyncPeriod time.Duration
	logger       *klogger.RunLogger
	// late holds the options that are set after the informer is created. It is
	// nil for InformerOf.
	late *lateOptions
}

var _ SharedIndexInformer = (*informerOf[any])(nil)

// InformerOf returns a typed informer as a SharedIndexInformer. Both are the
// same informer, and either may be run. The transform and the watch error
// handler belong to the Options of the typed informer: setting them here is an
// error. Writes to the store are errors too; a Bookmark does nothing.
func InformerOf[T rest.Object](typed *informer.SharedInformer[T]) SharedIndexInformer {
	return &informerOf[T]{
		typed:   typed,
		indexer: readOnlyIndexerOf(typed),
		name:    typed.State().Name,
		keyOf:   indexer.MetaNamespaceKeyFunc[T],
		logger:  &klogger.RunLogger{},
	}
}

// AddEventHandler adds a handler with the resync period of the informer.
func (i *informerOf[T]) AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error) {
	return i.AddEventHandlerWithOptions(handler, HandlerOptions{})
}

// AddEventHandlerWithResyncPeriod adds a handler with its own resync period.
func (i *informerOf[T]) AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, resyncPeriod time.Duration) (ResourceEventHandlerRegistration, error) {
	return i.AddEventHandlerWithOptions(handler, HandlerOptions{ResyncPeriod: &resyncPeriod})
}

// AddEventHandlerWithOptions adds a handler.
func (i *informerOf[T]) AddEventHandlerWithOptions(handler ResourceEventHandler, o HandlerOptions) (ResourceEventHandlerRegistration, error) {
	if err := validateHandler(handler); err != nil {
		return nil, fmt.Errorf("adding an event handler to the informer of %s: %w", i.name, err)
	}
	logger := i.logger.Klog
	if o.Logger != nil {
		logger = func() klog.Logger { return *o.Logger }
	}
	name := nameForHandler(handler)
	typed, err := i.typed.AddEventHandler(handlerAdapter[T]{handler: handler, keyOf: i.keyOf, logger: logger}, i.handlerOptions(name, o))
	if err != nil {
		return nil, fmt.Errorf("adding the event handler %s to the informer of %s: %w", name, i.name, err)
	}
	return &registration{typed: typed, owner: i.typed, name: i.checkerName() + " + handler " + name}, nil
}

// handlerOptions returns the options of the typed informer. handlerAdapter
// handles panics, so those that reach the typed informer crash.
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

// RemoveEventHandler removes a handler. Removing a handler that is not in this
// informer is not an error.
func (i *informerOf[T]) RemoveEventHandler(handle ResourceEventHandlerRegistration) error {
	r, ok := handle.(*registration)
	if !ok {
		return fmt.Errorf("removing an event handler from the informer of %s: unexpected registration type %T", i.name, handle)
	}
	if r != nil && r.owner == any(i.typed) {
		r.typed.Remove()
	}
	return nil
}

// Run calls RunWithContext with a context that ends when stopCh is closed.
func (i *informerOf[T]) Run(stopCh <-chan struct{}) {
	i.RunWithContext(wait.ContextForChannel(stopCh))
}

// RunWithContext runs the informer, once, until ctx is done.
func (i *informerOf[T]) RunWithContext(ctx context.Context) {
	var err error
	if i.late != nil {
		err = i.late.start()
	}
	if err == nil {
		i.logger.Set(klog.FromContext(ctx))
		err = i.typed.Run(ctx)
	}
	switch {
	case errors.Is(err, informer.ErrRunning), errors.Is(err, informer.ErrStopped):
		klog.FromContext(ctx).Info("Warning: the informer was run before; an informer runs only once", "informer", i.name)
	case err != nil:
		klog.FromContext(ctx).Error(err, "Informer cannot run", "informer", i.name)
	}
}

// HasSynced reports whether the first list is in the store.
func (i *informerOf[T]) HasSynced() bool { return i.typed.HasSynced() }

// HasSyncedChecker returns a DoneChecker for HasSynced.
func (i *informerOf[T]) HasSyncedChecker() DoneChecker {
	return doneChecker{name: i.checkerName(), done: i.typed.Synced()}
}

func (i *informerOf[T]) checkerName() string { return "SharedIndexInformer " + i.name }

// LastSyncResourceVersion returns the newest resource version received from the
// source.
func (i *informerOf[T]) LastSyncResourceVersion() string { return i.typed.State().Source.Version }

// IsStopped reports whether the informer has run and has stopped.
func (i *informerOf[T]) IsStopped() bool { return i.typed.State().Stopped }

// GetStore returns the store.
func (i *informerOf[T]) GetStore() Store { return i.indexer }

// GetIndexer returns the store with its indexes.
func (i *informerOf[T]) GetIndexer() Indexer { return i.indexer }

// AddIndexers adds indexes, unless the informer has stopped.
func (i *informerOf[T]) AddIndexers(indexers Indexers) error {
	if i.IsStopped() {
		return fmt.Errorf("adding indexers to the informer of %s: %w", i.name, informer.ErrStopped)
	}
	return i.indexer.AddIndexers(indexers)
}

// GetController returns a view of the informer whose Run does nothing.
func (i *informerOf[T]) GetController() Controller { return controllerView{i} }

// SetWatchErrorHandler is SetWatchErrorHandlerWithContext for a handler without
// a context.
func (i *informerOf[T]) SetWatchErrorHandler(handler WatchErrorHandler) error {
	if handler == nil {
		return i.SetWatchErrorHandlerWithContext(nil)
	}
	return i.SetWatchErrorHandlerWithContext(func(_ context.Context, r *Reflector, err error) { handler(r, err) })
}

// SetWatchErrorHandlerWithContext sets the function that is called when the
// store cannot be kept up to date. If nil, errors are logged.
func (i *informerOf[T]) SetWatchErrorHandlerWithContext(handler WatchErrorHandlerWithContext) error {
	if err := i.late.set(func(late *lateOptions) { late.watchErrorHandler = handler }); err != nil {
		return fmt.Errorf("setting the watch error handler of the informer of %s: %w", i.name, err)
	}
	return nil
}

// SetTransform sets the function that changes each object before it is stored.
// nil means none.
func (i *informerOf[T]) SetTransform(handler TransformFunc) error {
	if err := i.late.set(func(late *lateOptions) { late.transform = handler }); err != nil {
		return fmt.Errorf("setting the transform of the informer of %s: %w", i.name, err)
	}
	return nil
}

// controllerView implements GetController.
type controllerView struct{ informer SharedInformer }

func (v controllerView) Run(<-chan struct{}) {}

func (v controllerView) RunWithContext(context.Context) {}

func (v controllerView) HasSynced() bool { return v.informer.HasSynced() }

func (v controllerView) HasSyncedChecker() DoneChecker { return v.informer.HasSyncedChecker() }

func (v controllerView) LastSyncResourceVersion() string { return v.informer.LastSyncResourceVersion() }

var (
	errStarted       = errors.New("the informer was already started")
	errTypedInformer = errors.New("not supported for a typed informer; set it in informer.Options")
)

// lateOptions are options of a typed informer that are set after it is created
// and before it runs.
type lateOptions struct {
	mu      sync.Mutex
	started bool
	// The following fields are written with mu held before started is set.
	// After that they are only read, by the goroutines of Run.
	transform         TransformFunc
	watchErrorHandler WatchErrorHandlerWithContext
	// view is the Reflector that is passed to the handler.
	view *Reflector
	// unhandled is called if there is no handler.
	unhandled func(context.Context, error)
}

// set calls change, unless the informer was started.
func (l *lateOptions) set(change func(*lateOptions)) error {
	if l == nil {
		return errTypedInformer
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.started {
		return errStarted
	}
	change(l)
	return nil
}

// start ends the time in which options can be set.
//
// Possible errors: informer.ErrRunning.
func (l *lateOptions) start() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.started {
		return informer.ErrRunning
	}
	l.started = true
	return nil
}

// transformed is the Transform of the typed informer.
func (l *lateOptions) transformed(obj any) (out any, keep bool, err error) {
	if l.transform == nil {
		return obj, true, nil
	}
	out, err = l.transform(obj)
	return out, true, err
}

// failed is the WatchErrorHandler of the typed informer.
func (l *lateOptions) failed(ctx context.Context, err error) {
	if l.watchErrorHandler == nil {
		l.unhandled(ctx, err)
		return
	}
	l.watchErrorHandler(ctx, l.view, watchErrorOf(l.view.name, err))
}

// logWatchErrors returns the default watch error handler, which logs.
func logWatchErrors(name string, l *klogger.RunLogger) func(context.Context, error) {
	return reflector.DefaultWatchErrorHandler(name, l.Slog())
}
