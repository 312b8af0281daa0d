package cache

import (
	"context"
	"time"

	"k8s.io/klog/v2"
)

// SharedInformer keeps a Store equal to what a source serves, and tells any
// number of handlers of each change. NewSharedInformer makes one.
type SharedInformer interface {
	// AddEventHandler adds a handler, before or while the informer runs, with the
	// resync period of the informer.
	AddEventHandler(handler ResourceEventHandler) (ResourceEventHandlerRegistration, error)
	// AddEventHandlerWithResyncPeriod adds a handler that gets an OnUpdate of
	// every object as it is each period; 0 is never.
	AddEventHandlerWithResyncPeriod(handler ResourceEventHandler, resyncPeriod time.Duration) (ResourceEventHandlerRegistration, error)
	// AddEventHandlerWithOptions adds a handler with options.
	AddEventHandlerWithOptions(handler ResourceEventHandler, options HandlerOptions) (ResourceEventHandlerRegistration, error)
	// RemoveEventHandler takes a handler out. It does not wait: a callback that
	// has begun goes on, and no other begins. ShutDownEventHandler waits.
	RemoveEventHandler(handle ResourceEventHandlerRegistration) error
	// GetStore is the store. Whoever writes to it disagrees with the server until
	// the next event of that object.
	GetStore() Store
	// GetController is a view of the informer with fewer methods. Its Run does
	// nothing.
	//
	// Deprecated: ask the informer itself.
	GetController() Controller
	// Run keeps the store up to date and the handlers told until stopCh is
	// closed, and returns when all that it has started has ended. An informer
	// runs once: a second Run logs that and returns.
	Run(stopCh <-chan struct{})
	// RunWithContext is Run with a context.
	RunWithContext(ctx context.Context)
	// HasSynced reports whether the first list is in the store. Whether a handler
	// has been told of it, its registration knows.
	HasSynced() bool
	// HasSyncedChecker is HasSynced to wait for.
	HasSyncedChecker() DoneChecker
	// LastSyncResourceVersion is the newest version that the source has told. The
	// store may not have it yet: its LastStoreSyncResourceVersion says.
	LastSyncResourceVersion() string
	// SetWatchErrorHandler has handler told of whatever keeps the store from being
	// up to date. It must be called before Run.
	SetWatchErrorHandler(handler WatchErrorHandler) error
	// SetWatchErrorHandlerWithContext is SetWatchErrorHandler with the context of
	// Run.
	SetWatchErrorHandlerWithContext(handler WatchErrorHandlerWithContext) error
	// SetTransform has handler change every object before it is stored. It must
	// be called before Run.
	SetTransform(handler TransformFunc) error
	// IsStopped reports whether the informer has run and does no longer.
	IsStopped() bool
}

// SharedIndexInformer is a SharedInformer with indexes. NewSharedIndexInformer
// makes one.
type SharedIndexInformer interface {
	SharedInformer
	// AddIndexers adds indexes, before or while the informer runs.
	AddIndexers(indexers Indexers) error
	// GetIndexer is the store with its indexes.
	GetIndexer() Indexer
}

// ResourceEventHandlerRegistration is a handler's place in an informer.
type ResourceEventHandlerRegistration interface {
	// HasSynced reports whether the handler has returned from the whole initial
	// list.
	HasSynced() bool
	// HasSyncedChecker is HasSynced to wait for.
	HasSyncedChecker() DoneChecker
}

// HandlerOptions configures one handler. The zero value is a working default.
type HandlerOptions struct {
	// Logger is where problems of the handler are logged. Default: that of the
	// context of Run, else klog's.
	Logger *klog.Logger
	// ResyncPeriod is how often the handler gets an OnUpdate of every object as
	// it is. Default: the informer's.
	ResyncPeriod *time.Duration
	// MaxPending is how many notifications may wait for the handler one by one.
	// Past it they are merged per key, which bounds the memory that a handler
	// that stands still costs: see informer.HandlerOptions. client-go has no such
	// field. Default: they are never merged.
	MaxPending int
}

// WatchErrorHandler hears of what keeps a store from being up to date.
type WatchErrorHandler func(r *Reflector, err error)

// WatchErrorHandlerWithContext is a WatchErrorHandler with a context.
type WatchErrorHandlerWithContext func(ctx context.Context, r *Reflector, err error)
