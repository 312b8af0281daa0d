package informer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/rest"
)

// FactoryOptions are options for all informers of a factory. The zero value is a
// working default.
type FactoryOptions struct {
	// Namespace restricts all sources to one namespace, whatever namespace they had
	// before. Cluster-scoped resources are not affected. Default: sources are not
	// changed.
	Namespace string

	// TweakListOptions changes the options of every list and watch. It is called
	// before the TweakListOptions of an informer's Options. Default: none.
	TweakListOptions func(*metav1.ListOptions)

	// Transform changes every object in place before it is stored, and reports
	// whether to keep it. It is called before the Transform of an informer's
	// Options. Default: none.
	Transform func(rest.Object) (keep bool, err error)

	// WatchErrorHandler, MutationGuard, Logger and Trace apply to informers whose
	// Options leave them nil.
	WatchErrorHandler func(ctx context.Context, err error)
	MutationGuard     func(error)
	Logger            *slog.Logger
	Trace             *Trace
}

// Factory creates and runs informers, and shares each informer between all users
// of the same objects: the same Go type, the same source, and the same list
// options. Use the function [For] to get an informer.
//
// An informer runs until all its users have released it, the context of its Start is
// done, or Shutdown is called. An informer that is requested after Start runs at once.
type Factory struct {
	options FactoryOptions

	// running counts the goroutines that run informers. None is added after stopped
	// is set.
	running sync.WaitGroup

	mu      sync.Mutex
	stopped bool
	// context is that of the last Start, nil before the first.
	context context.Context
	// entries are the informers with users, in the order of creation.
	entries []*entry
	// shared are the entries that another call of For may return.
	shared map[sharingKey]*entry
	// failures are the errors of informers that have ended.
	failures []error
}

// NewFactory returns a factory without informers.
func NewFactory(o FactoryOptions) *Factory {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return &Factory{options: o, shared: map[sharingKey]*entry{}}
}

// For returns an informer of the objects of source. The caller must call Release
// when it no longer uses the informer. Calls with the same T, the same source
// (compared by Identity; equal Views have equal identities) and a TweakListOptions
// with the same result share one store and one watch.
//
// A shared informer has the Options of the first call, even after the first caller
// has released it. Later calls must pass the same Transform and Filter. A closure
// is the same only if it comes from the same variable. Later calls may leave out
// the other options. If the options differ, the first call on the informer and
// Start return an error.
//
// The informer runs from the next Start of f, or at once if the context of the last
// Start is not done. Handlers and indexes can be added in either case. An informer that
// cannot run (see [SharedInformer.Check]) is logged; its waits, and the next Start,
// return the error. Do not call Run of the informer.
func For[T rest.Object](f *Factory, source Source[T], o Options[T]) *SharedInformer[T] {
	if f == nil {
		informer := New[T](source, o)
		informer.shared.err = ErrNoFactory
		return informer
	}
	return forWith(f, f.options, source, o)
}

// forWith is For with other options in place of those of the factory.
func forWith[T rest.Object](f *Factory, defaults FactoryOptions, source Source[T], o Options[T]) *SharedInformer[T] {
	e, shareable := newEntry(defaults, source, o)
	return request[T](f, e, shareable)
}

// request adds a user to e or, if it is shareable, to the existing informer for the same
// objects.
func request[T rest.Object](f *Factory, e *entry, shareable bool) *SharedInformer[T] {
	e, informer := join[T](f, e, shareable)
	f.startAdded(e)
	informer.handle = &handle{onRelease: func() { f.release(e) }}
	return informer
}

// Start runs the informers that are not running, and those that are requested later,
// each until ctx is done. It does not wait. After another Start, later informers run
// with its context.
//
// Possible errors: ErrNoContext, ErrStopped, and the errors of informers that
// cannot run. Start runs the others.
func (f *Factory) Start(ctx context.Context) error {
	if ctx == nil {
		return ErrNoContext
	}
	if !f.setContext(ctx) {
		return ErrStopped
	}
	_, notStarted := f.split()
	var errs []error
	var valid []*entry
	for _, e := range notStarted {
		if err := e.informer.Check(); err != nil {
			errs = append(errs, err)
		} else {
			valid = append(valid, e)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return ErrStopped
	}
	for _, e := range valid {
		if e.cancel == nil && e.users > 0 {
			f.start(ctx, e)
		}
	}
	return errors.Join(errs...)
}

// setContext makes informers that are requested from now on run until ctx is done. It
// reports whether the factory has not been shut down.
func (f *Factory) setContext(ctx context.Context) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.context = ctx
	return !f.stopped
}

// startAdded runs an informer that was requested after Start.
func (f *Factory) startAdded(e *entry) {
	f.mu.Lock()
	due := f.mustStart(e)
	f.mu.Unlock()
	if !due || e.informer.argumentErr() != nil {
		return
	}
	if err := e.informer.Check(); err != nil {
		f.options.Logger.Error("An informer that was requested after Start cannot run", "err", err)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mustStart(e) {
		f.start(f.context, e)
	}
}

// mustStart reports whether an informer that does not run is to be started without
// another Start. It needs mu.
func (f *Factory) mustStart(e *entry) bool {
	return f.startsAdded() && e.cancel == nil && e.users > 0
}

// split returns the informers that have been started, and the others.
func (f *Factory) split() (started, notStarted []*entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.entries {
		if e.cancel != nil {
			started = append(started, e)
		} else {
			notStarted = append(notStarted, e)
		}
	}
	return started, notStarted
}

// start runs e. It needs mu.
func (f *Factory) start(ctx context.Context, e *entry) {
	e.ctx, e.cancel = context.WithCancel(ctx)
	f.running.Go(func() {
		var err error
		// Deferred, since a MutationGuard may end the goroutine by t.FailNow.
		defer func() { f.entryEnded(e, err) }()
		err = e.informer.run(e.ctx)
	})
}

// startRequest runs a request in a goroutine that Shutdown waits for. It reports false
// if Shutdown has been called.
func (f *Factory) startRequest(run func()) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.stopped {
		f.running.Go(run)
	}
	return !f.stopped
}

// entryEnded removes e from the shared informers, since an informer cannot be
// started again.
func (f *Factory) entryEnded(e *entry, err error) {
	f.mu.Lock()
	e.cancel()
	e.ended = true
	f.unshare(e)
	released := e.users == 0
	if err != nil {
		err = fmt.Errorf("%s: %w", e.informer.State().Name, err)
		f.failures = append(f.failures, err)
	}
	f.mu.Unlock()
	if released {
		e.informer.dropObjects()
		if err != nil { // no caller may be left to read it
			f.options.Logger.Error("A released informer failed to stop", "err", err)
		}
	}
}

// unshare keeps later calls of For from returning e. It needs mu.
func (f *Factory) unshare(e *entry) {
	if f.shared[e.key] == e {
		delete(f.shared, e.key)
	}
}

// release removes a user of e, and stops e if it was the last one.
func (f *Factory) release(e *entry) {
	f.mu.Lock()
	e.users--
	last := e.users == 0
	if last {
		f.unshare(e)
		f.entries = slices.DeleteFunc(f.entries, func(other *entry) bool { return other == e })
		f.stop(e)
	}
	ended := e.ended
	f.mu.Unlock()
	if last && ended {
		e.informer.dropObjects()
	}
}

// stop needs mu. An entry that was never started is started with a context that is
// done, so that waits and registrations return an error.
func (f *Factory) stop(e *entry) {
	if e.cancel == nil && e.informer.argumentErr() == nil {
		done, cancel := context.WithCancel(context.Background())
		cancel()
		f.start(done, e)
	}
	if e.cancel != nil {
		e.cancel()
	}
}

// WaitForSync waits until each started informer has its first list in the store.
// If ctx ends first, the error contains the reason for each informer that has
// not synced.
//
// Possible errors: ErrNotRunning if none has been started, ErrStopped, that of
// ctx, and the errors of informers that cannot run.
func (f *Factory) WaitForSync(ctx context.Context) error {
	waiting, errs := f.started()
	for _, e := range waiting {
		if err := e.informer.WaitForSync(ctx); err != nil && f.inUse(e) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (f *Factory) started() (started []*entry, errs []error) {
	started, notStarted := f.split()
	for _, e := range notStarted {
		if err := e.informer.Check(); err != nil {
			errs = append(errs, err)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(started)+len(errs) == 0 && len(notStarted) > 0 && !f.startsAdded() {
		errs = append(errs, ErrNotRunning)
	}
	return started, errs
}

// startsAdded reports whether informers that are requested now are started. An informer
// may be among the entries for a moment before it is. It needs mu.
func (f *Factory) startsAdded() bool {
	return !f.stopped && f.context != nil && f.context.Err() == nil
}

// inUse reports whether e still has a user.
func (f *Factory) inUse(e *entry) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return e.users > 0
}

// Informers returns the informers that are in use, in the order of their first
// request. It is for debug pages and health checks.
func (f *Factory) Informers() []AnyInformer {
	f.mu.Lock()
	defer f.mu.Unlock()
	informers := make([]AnyInformer, len(f.entries))
	for i, e := range f.entries {
		informers[i] = e.informer
	}
	return informers
}

// Shutdown stops all informers and waits until they have ended. It must not be
// called from a callback, since it waits for callbacks. The stored objects can
// still be read. The factory cannot be started again, and creates no more
// informers.
//
// Possible errors: a *StopError for each informer that did not stop in time, during
// Shutdown or before. Several errors are joined.
func (f *Factory) Shutdown() error {
	f.mu.Lock()
	f.stopped = true
	for _, e := range f.entries {
		f.stop(e)
	}
	f.mu.Unlock()
	f.running.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(f.failures...)
}
