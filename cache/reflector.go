// The work is done by package reflector.

package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/thinformer/thinformer/cache/internal/klogger"
	"github.com/thinformer/thinformer/reflector"
)

// Reflector keeps a ReflectorStore equal to a source. It is an untyped
// [reflector.Reflector] and recovers in the same way: a watch that has ended or
// failed is resumed at its version, and the store is replaced only when the
// server no longer has that version. Set the fields before it runs.
//
// An object of an unexpected type, and a single event for which the store
// returns an error, are reported and skipped.
type Reflector struct {
	// WatchListPageSize is the page size of lists. Default: as described in
	// rest.Config.PageSize.
	WatchListPageSize int64
	// ShouldResync reports, each resync period, whether to resync the store.
	// Default: always.
	ShouldResync func() bool
	// MaxInternalErrorRetryDuration is not used: a watch that fails with an
	// internal error is always resumed at its version.
	MaxInternalErrorRetryDuration time.Duration

	name, typeDescription string
	lw                    ListerWatcher
	expected              any
	store                 ReflectorStore
	options               ReflectorOptions
	// watchErrorHandler is called with failures. If nil, each kind is logged at
	// most once a minute. It must be set before the Reflector runs.
	watchErrorHandler WatchErrorHandlerWithContext

	// initOnce creates inner when the Reflector first runs, from the fields at
	// that time.
	initOnce sync.Once
	inner    atomic.Pointer[reflector.Reflector[any]]
	// viewVersion returns the version of another reflector, of which this is a
	// view. It is nil for a Reflector that can run.
	viewVersion func() string
}

// NewReflector calls NewReflectorWithOptions with a resync period.
func NewReflector(lw ListerWatcher, expectedType any, store ReflectorStore, resyncPeriod time.Duration) *Reflector {
	return NewReflectorWithOptions(lw, expectedType, store, ReflectorOptions{ResyncPeriod: resyncPeriod})
}

// NewNamedReflector calls NewReflectorWithOptions with a name and a resync
// period.
func NewNamedReflector(name string, lw ListerWatcher, expectedType any, store ReflectorStore, resyncPeriod time.Duration) *Reflector {
	return NewReflectorWithOptions(lw, expectedType, store, ReflectorOptions{Name: name, ResyncPeriod: resyncPeriod})
}

// NewReflectorWithOptions returns a Reflector that does nothing until it is
// run. expectedType is an object of the type of the source. An
// *unstructured.Unstructured with apiVersion and kind means that all objects
// have that kind; nil accepts every object.
func NewReflectorWithOptions(lw ListerWatcher, expectedType any, store ReflectorStore, options ReflectorOptions) *Reflector {
	r := &Reflector{
		name: options.Name, typeDescription: options.TypeDescription,
		lw: lw, expected: expectedType, store: store, options: options,
	}
	if r.name == "" {
		r.name = callerName()
	}
	if r.typeDescription == "" {
		r.typeDescription = typeDescriptionOf(expectedType)
	}
	return r
}

// NewNamespaceKeyedIndexerAndReflector returns an Indexer with a namespace
// index and a Reflector that fills it.
func NewNamespaceKeyedIndexerAndReflector(lw ListerWatcher, expectedType any, resyncPeriod time.Duration) (Indexer, *Reflector) {
	indexer := NewIndexer(MetaNamespaceKeyFunc, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
	return indexer, NewReflector(lw, expectedType, indexer, resyncPeriod)
}

// newReflectorView returns a Reflector to pass to watch error handlers of
// informers. It cannot run.
func newReflectorView(name, typeDescription string, version func() string) *Reflector {
	return &Reflector{name: name, typeDescription: typeDescription, viewVersion: version}
}

// Name returns the name of the options or, by default, the source line that
// created the Reflector.
func (r *Reflector) Name() string { return r.name }

// TypeDescription returns a description of the objects for logs.
func (r *Reflector) TypeDescription() string { return r.typeDescription }

// Run calls RunWithContext with a context that ends when stopCh is closed.
func (r *Reflector) Run(stopCh <-chan struct{}) {
	r.RunWithContext(wait.ContextForChannel(stopCh))
}

// RunWithContext keeps the store up to date until ctx is done and retries all
// failures. If the Reflector is already running, or has no ListerWatcher or
// store, RunWithContext logs an error and returns.
func (r *Reflector) RunWithContext(ctx context.Context) {
	inner, err := r.typedReflector(ctx)
	if err == nil {
		err = inner.Run(ctx)
	}
	if err != nil {
		klogger.FromContext(ctx).Error("Reflector cannot run", "reflector", r.name, "type", r.typeDescription, "err", err)
	}
}

// ListAndWatch calls ListAndWatchWithContext with a context that ends when
// stopCh is closed.
func (r *Reflector) ListAndWatch(stopCh <-chan struct{}) error {
	return r.ListAndWatchWithContext(wait.ContextForChannel(stopCh))
}

// ListAndWatchWithContext lists once and then watches. It returns an error if a
// relist is required, and nil if ctx is done. A watch is resumed as long as its
// version is valid.
func (r *Reflector) ListAndWatchWithContext(ctx context.Context) error {
	inner, err := r.typedReflector(ctx)
	if err != nil {
		return err
	}
	return inner.ListAndWatch(ctx)
}

// LastSyncResourceVersion returns the newest version that was passed to the
// store.
func (r *Reflector) LastSyncResourceVersion() string {
	if r.viewVersion != nil {
		return r.viewVersion()
	}
	if inner := r.inner.Load(); inner != nil {
		return inner.LastSyncResourceVersion()
	}
	return ""
}

var errView = errors.New("the reflector belongs to an informer; run the informer instead")

// typedReflector returns the typed reflector. Unless the options have a logger,
// it uses that of the first context.
func (r *Reflector) typedReflector(ctx context.Context) (*reflector.Reflector[any], error) {
	if r.viewVersion != nil {
		return nil, fmt.Errorf("cache: reflector %s: %w", r.name, errView)
	}
	r.initOnce.Do(func() {
		logger := klogger.FromContext(ctx)
		if r.options.Logger != nil {
			logger = klogger.FromOption(r.options.Logger)
		}
		o := reflector.Options[any]{
			Name:         nameWithNamespace(r.name, r.lw),
			ResyncPeriod: r.options.ResyncPeriod,
			WatchTimeout: watchTimeout(r.options.MinWatchTimeout),
			Backoff:      backoffOf(r.options.Backoff),
			Logger:       logger,
		}
		if r.watchErrorHandler != nil {
			o.WatchErrorHandler = func(ctx context.Context, err error) { r.watchErrorHandler(ctx, r, watchErrorOf(r.name, err)) }
		}
		source := sourceOf[any](r.lw, sourceOptions{Expected: r.expected, PageSize: r.WatchListPageSize})
		r.inner.Store(reflector.New(source, newStoreAdapter(r.store, logger, r.ShouldResync), o))
	})
	return r.inner.Load(), nil
}

// ReflectorOptions configures a Reflector. The zero value is a working default.
type ReflectorOptions struct {
	// Logger is the logger. Default: that of the context in which the Reflector
	// first runs.
	Logger *klog.Logger
	// Name identifies the Reflector in logs. Default: the source line that
	// created it.
	Name string
	// TypeDescription describes the objects in logs. Default: the kind of an
	// expected Unstructured, else the Go type.
	TypeDescription string
	// ResyncPeriod is the interval at which the store's Resync is called.
	// Default: never.
	ResyncPeriod time.Duration
	// MinWatchTimeout is the minimum time for which the server is asked to keep
	// a watch open. The maximum is twice as long. Default and minimum: 5
	// minutes.
	MinWatchTimeout time.Duration
	// Clock is not used: use testing/synctest in tests.
	Clock clock.Clock
	// Backoff is the delay after failures: Duration after the first, multiplied
	// by Factor after each further one, at most Cap or, if that is 0, the delay
	// after Steps; plus up to Jitter times the delay. Default: 800 ms, doubled
	// up to 30 s, plus up to 100%.
	Backoff *wait.Backoff
}

const minWatchTimeout = 5 * time.Minute

func watchTimeout(least time.Duration) time.Duration { return max(least, minWatchTimeout) }

// backoffOf converts a backoff for package reflector.
func backoffOf(b *wait.Backoff) reflector.Backoff {
	if b == nil {
		return reflector.Backoff{}
	}
	own := reflector.Backoff{Base: b.Duration, Max: b.Cap, Factor: max(b.Factor, 1), Jitter: b.Jitter}
	if own.Jitter == 0 {
		own.Jitter = -1
	}
	if own.Max <= 0 {
		steps := float64(max(b.Steps-1, 0))
		own.Max = time.Duration(min(float64(b.Duration)*math.Pow(own.Factor, steps), float64(math.MaxInt64/4)))
	}
	return own
}

// typeDescriptionOf describes objects like example.
func typeDescriptionOf(example any) string {
	if u, ok := example.(*unstructured.Unstructured); ok && u != nil && !u.GroupVersionKind().Empty() {
		return u.GroupVersionKind().String()
	}
	if example == nil {
		return "<unspecified>"
	}
	return reflect.TypeOf(example).String()
}

// callerName returns the line that called this package, as package/file:line.
func callerName() string {
	var counters [32]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(2, counters[:])])
	own := reflect.TypeFor[Reflector]().PkgPath() + "."
	for {
		frame, more := frames.Next()
		if frame.Function != "" && !strings.HasPrefix(frame.Function, own) {
			return fmt.Sprintf("%s/%s:%d", packageOf(frame.Function), path.Base(frame.File), frame.Line)
		}
		if !more {
			return "reflector"
		}
	}
}

// packageOf returns the package of a function: everything before the first dot
// after the last slash.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	if dot := strings.IndexByte(function[slash:], '.'); dot >= 0 {
		return function[:slash+dot]
	}
	return function
}

// WatchErrorHandler is called when a store cannot be kept up to date.
type WatchErrorHandler func(r *Reflector, err error)

// WatchErrorHandlerWithContext is a WatchErrorHandler with a context.
type WatchErrorHandlerWithContext func(ctx context.Context, r *Reflector, err error)

// DefaultWatchErrorHandler logs an error at a level that depends on the error.
// Handlers call it in addition to their own work. Without a handler, each kind
// of error is logged at most once a minute.
func DefaultWatchErrorHandler(ctx context.Context, r *Reflector, err error) {
	logger := klog.FromContext(ctx)
	switch {
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		logger.V(4).Info("The resource version of the watch has expired", "reflector", r.Name(), "type", r.TypeDescription(), "err", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		logger.V(1).Info("Watch closed unexpectedly", "reflector", r.Name(), "type", r.TypeDescription(), "err", err)
	case errors.Is(err, io.EOF):
	default:
		utilruntime.HandleErrorWithContext(ctx, err, "Failed to watch", "reflector", r.Name(), "type", r.TypeDescription())
	}
}

// VeryShortWatchError is wrapped in the error of a watch that ended within a
// second.
type VeryShortWatchError struct {
	// Name is the name of the Reflector.
	Name string
}

func (e *VeryShortWatchError) Error() string {
	return fmt.Sprintf("very short watch of %s: it ended within a second", e.Name)
}

// watchErrorOf converts an error of the reflector for watch error handlers.
func watchErrorOf(name string, err error) error {
	if errors.Is(err, reflector.ErrShortWatch) {
		return fmt.Errorf("%w: %w", &VeryShortWatchError{Name: name}, err)
	}
	return err
}
