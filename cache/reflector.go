package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/thinformer/thinformer/reflector"
)

// Reflector keeps a ReflectorStore equal to what a source serves. It is a
// [reflector.Reflector] without types, and recovers as that one does: a watch
// that has ended or failed is resumed at its version, and the store is replaced
// only when the server no longer has that version. Its fields are to be set before
// it runs.
//
// An object of another type than the expected one, and a single event that the
// store refuses, cost only themselves: they are reported, and the Reflector goes
// on.
type Reflector struct {
	// WatchListPageSize is the size of the pages in which is listed. Default: 500
	// where the server may page, else no pages.
	WatchListPageSize int64
	// ShouldResync is asked each resync period whether the store is to be
	// resynced. Default: it is.
	ShouldResync func() bool
	// MaxInternalErrorRetryDuration is not used: a watch that fails by an error
	// of the server is resumed at its version however often it happens.
	MaxInternalErrorRetryDuration time.Duration

	name, typeDescription string
	lw                    ListerWatcher
	expected              any
	store                 ReflectorStore
	options               ReflectorOptions
	// watchErrorHandler is told of failures; nil: they are logged, each kind once
	// a minute at most. It is to be set before the Reflector runs.
	watchErrorHandler WatchErrorHandlerWithContext

	// begin makes beneath when the Reflector first runs, as its fields say then.
	begin   sync.Once
	beneath atomic.Pointer[reflector.Reflector[any]]
	// viewed is the version of another reflector, of which this is a view. It is
	// nil for one that can run.
	viewed func() string
}

// NewReflector is NewReflectorWithOptions with a resync period.
func NewReflector(lw ListerWatcher, expectedType any, store ReflectorStore, resyncPeriod time.Duration) *Reflector {
	return NewReflectorWithOptions(lw, expectedType, store, ReflectorOptions{ResyncPeriod: resyncPeriod})
}

// NewNamedReflector is NewReflectorWithOptions with a name and a resync period.
func NewNamedReflector(name string, lw ListerWatcher, expectedType any, store ReflectorStore, resyncPeriod time.Duration) *Reflector {
	return NewReflectorWithOptions(lw, expectedType, store, ReflectorOptions{Name: name, ResyncPeriod: resyncPeriod})
}

// NewReflectorWithOptions returns a Reflector that does nothing until it is run.
// expectedType is an object of the type that the source has; an
// *unstructured.Unstructured with apiVersion and kind says that they are all of
// that kind, and nil takes whatever comes.
func NewReflectorWithOptions(lw ListerWatcher, expectedType any, store ReflectorStore, options ReflectorOptions) *Reflector {
	r := &Reflector{
		name: options.Name, typeDescription: options.TypeDescription,
		lw: lw, expected: expectedType, store: store, options: options,
	}
	if r.name == "" {
		r.name = callerOutside()
	}
	if r.typeDescription == "" {
		r.typeDescription = typeDescriptionOf(expectedType)
	}
	return r
}

// NewNamespaceKeyedIndexerAndReflector returns an Indexer with the index of
// namespaces, and a Reflector that fills it.
func NewNamespaceKeyedIndexerAndReflector(lw ListerWatcher, expectedType any, resyncPeriod time.Duration) (Indexer, *Reflector) {
	indexer := NewIndexer(MetaNamespaceKeyFunc, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
	return indexer, NewReflector(lw, expectedType, indexer, resyncPeriod)
}

// newReflectorView is a Reflector to hand to the watch error handler of what has
// a reflector of its own. It cannot run.
func newReflectorView(name, typeDescription string, version func() string) *Reflector {
	return &Reflector{name: name, typeDescription: typeDescription, viewed: version}
}

// Name is that of the options, else the place in the source where the Reflector
// was made.
func (r *Reflector) Name() string { return r.name }

// TypeDescription says what the objects are, to humans.
func (r *Reflector) TypeDescription() string { return r.typeDescription }

// Run is RunWithContext with a channel.
func (r *Reflector) Run(stopCh <-chan struct{}) {
	r.RunWithContext(wait.ContextForChannel(stopCh))
}

// RunWithContext keeps the store up to date until ctx is done, whatever fails. A
// Reflector that runs already, or that lacks a ListerWatcher or a store, logs
// that and returns.
func (r *Reflector) RunWithContext(ctx context.Context) {
	beneath, err := r.typed(ctx)
	if err == nil {
		err = beneath.Run(ctx)
	}
	if err != nil {
		loggerIn(ctx).Error("a reflector does not run", "reflector", r.name, "type", r.typeDescription, "error", err)
	}
}

// ListAndWatch is ListAndWatchWithContext with a channel.
func (r *Reflector) ListAndWatch(stopCh <-chan struct{}) error {
	return r.ListAndWatchWithContext(wait.ContextForChannel(stopCh))
}

// ListAndWatchWithContext takes over the state of the source once and watches
// from there until everything has to be read again, which is an error, or ctx is
// done, which is none. On the way a watch is resumed as often as that is good.
func (r *Reflector) ListAndWatchWithContext(ctx context.Context) error {
	beneath, err := r.typed(ctx)
	if err != nil {
		return err
	}
	return beneath.ListAndWatch(ctx)
}

// LastSyncResourceVersion is the newest version that the store has been told.
func (r *Reflector) LastSyncResourceVersion() string {
	if r.viewed != nil {
		return r.viewed()
	}
	if beneath := r.beneath.Load(); beneath != nil {
		return beneath.LastSyncResourceVersion()
	}
	return ""
}

var errView = errors.New("it belongs to an informer, which runs it")

// typed is the reflector beneath. The logger of the first context is used, unless
// the options have one.
func (r *Reflector) typed(ctx context.Context) (*reflector.Reflector[any], error) {
	if r.viewed != nil {
		return nil, fmt.Errorf("cache: reflector %s: %w", r.name, errView)
	}
	r.begin.Do(func() {
		logger := loggerIn(ctx)
		if r.options.Logger != nil {
			logger = loggerOf(r.options.Logger)
		}
		o := reflector.Options[any]{
			Name:         r.name,
			ResyncPeriod: r.options.ResyncPeriod,
			WatchTimeout: watchTimeout(r.options.MinWatchTimeout),
			Backoff:      backoffOf(r.options.Backoff),
			Logger:       logger,
		}
		if r.watchErrorHandler != nil {
			o.WatchErrorHandler = func(ctx context.Context, err error) { r.watchErrorHandler(ctx, r, watchErrorOf(r.name, err)) }
		}
		source := sourceOf[any](r.lw, sourceOptions{Expected: r.expected, PageSize: r.WatchListPageSize})
		r.beneath.Store(reflector.New(source, storeOf(r.store, logger, r.ShouldResync), o))
	})
	return r.beneath.Load(), nil
}
