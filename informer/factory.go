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

// FactoryOptions are what all informers of a factory have in common. The zero
// value is a working default.
type FactoryOptions struct {
	// Namespace is the one that all sources are narrowed to, whatever they showed
	// before; what is not in namespaces is not affected. Default: sources stay as
	// they are.
	Namespace string

	// Tweak changes the options of every list and watch, before the Tweak of an
	// informer's own Options does. Default: none.
	Tweak func(*metav1.ListOptions)

	// Transform changes every object where it is before it is stored, and says
	// whether it is kept, before the Transform of an informer's own Options does.
	// Default: none.
	Transform func(rest.Object) (keep bool, err error)

	// WatchErrorHandler, MutationGuard, Logger and Trace are those of informers
	// whose Options leave them nil.
	WatchErrorHandler func(ctx context.Context, err error)
	MutationGuard     func(error)
	Logger            *slog.Logger
	Trace             *Trace
}

// Factory makes informers and runs them, and has one for all who want the same:
// the same objects by the same type, from the same source, chosen by the same
// list options. [For] asks for one.
//
// An informer runs from the next Start on until all who have asked for it have
// released it, or that Start's context is done, or Shutdown.
type Factory struct {
	options FactoryOptions

	// running are the goroutines that run informers. None is added after stopped.
	running sync.WaitGroup

	mu      sync.Mutex
	stopped bool
	// entries are those that somebody uses, in the order in which they were made.
	entries []*entry
	// shared are those of them which whoever asks for the same gets as well.
	shared map[sharingKey]*entry
	// failures are the errors with which informers have ended.
	failures []error
}

// NewFactory returns a factory that has no informers.
func NewFactory(o FactoryOptions) *Factory {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return &Factory{options: o, shared: map[sharingKey]*entry{}}
}

// For is an informer of what source serves, the caller's until it calls Release.
// Who asks for the same gets the same store and watch: the same T, the same
// source (by its Identity, as equal Views have it), and a Tweak that makes the
// same list options.
//
// What is shared has the Options of whoever was first, also when that one has
// released it. Later ones must give the
// same functions as Transform and Filter, that is the same function or the same
// variable, since closures cannot be compared otherwise; of the rest they may
// leave out what they do not care about. If they differ, that is the error of the
// first call, and of Start.
//
// The informer runs after the next Start, and Run is not for its user.
func For[T rest.Object](f *Factory, source Source[T], o Options[T]) *SharedInformer[T] {
	e, shareable := newEntry(f.options, source, o)
	e, informer := join[T](f, e, shareable)
	informer.handle = &handle{letGo: func() { f.release(e) }}
	return informer
}

// Start runs the informers that do not run yet, each until ctx is done, and does
// not wait. Call it again for those that were asked for since; they may have
// another context.
//
// Possible errors: ErrStopped; what is wrong with informers that were asked for,
// which are left out.
func (f *Factory) Start(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return ErrStopped
	}
	var wrong []error
	for _, e := range f.entries {
		if err := e.informer.wrong(); err != nil {
			wrong = append(wrong, err)
		} else if e.cancel == nil {
			f.start(ctx, e)
		}
	}
	return errors.Join(wrong...)
}

// start needs mu.
func (f *Factory) start(ctx context.Context, e *entry) {
	e.ctx, e.cancel = context.WithCancel(ctx)
	f.running.Go(func() {
		var err error
		// Deferred, as a MutationGuard may end the goroutine: with t.FailNow.
		defer func() { f.ended(e, err) }()
		err = e.informer.run(e.ctx)
	})
}

// ended: nobody is to get e any more, as an informer does not start again.
func (f *Factory) ended(e *entry, err error) {
	f.mu.Lock()
	e.cancel()
	e.over = true
	f.unshare(e)
	released := e.users == 0
	if err != nil {
		err = fmt.Errorf("%s: %w", e.informer.State().Name, err)
		f.failures = append(f.failures, err)
	}
	f.mu.Unlock()
	if released {
		e.informer.free()
		if err != nil { // nobody may ever ask
			f.options.Logger.Error("An informer that was released has not ended well", "err", err)
		}
	}
}

// unshare needs mu.
func (f *Factory) unshare(e *entry) {
	if f.shared[e.key] == e {
		delete(f.shared, e.key)
	}
}

// release takes a user from e, and stops it if it was the last.
func (f *Factory) release(e *entry) {
	f.mu.Lock()
	e.users--
	last := e.users == 0
	if last {
		f.unshare(e)
		f.entries = slices.DeleteFunc(f.entries, func(other *entry) bool { return other == e })
		f.stop(e)
	}
	over := e.over
	f.mu.Unlock()
	if last && over {
		e.informer.free()
	}
}

// stop needs mu. What was never started begins, and ends, now: those who wait
// for it, or add handlers, learn of it.
func (f *Factory) stop(e *entry) {
	if e.cancel == nil && e.informer.wrong() == nil {
		done, cancel := context.WithCancel(context.Background())
		cancel()
		f.start(done, e)
	}
	if e.cancel != nil {
		e.cancel()
	}
}

// WaitForSync waits until the first list of each informer that has been started
// is in its store. If ctx ends before, the error says of each that is not there
// why.
//
// Possible errors: ErrNotRunning if none has been started, ErrStopped, that of
// ctx, what is wrong with informers that were asked for.
func (f *Factory) WaitForSync(ctx context.Context) error {
	waiting, errs := f.started()
	for _, e := range waiting {
		if err := e.informer.WaitForSync(ctx); err != nil && f.uses(e) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (f *Factory) started() (started []*entry, wrong []error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.entries {
		if err := e.informer.wrong(); err != nil {
			wrong = append(wrong, err)
		} else if e.cancel != nil {
			started = append(started, e)
		}
	}
	if len(started)+len(wrong) == 0 && len(f.entries) > 0 {
		wrong = append(wrong, ErrNotRunning)
	}
	return started, wrong
}

// uses says whether e has a user still.
func (f *Factory) uses(e *entry) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return e.users > 0
}

// Informers are those that somebody uses, in the order in which they were first
// asked for: to look at them all, on a debug page or for a health check.
func (f *Factory) Informers() []AnyInformer {
	f.mu.Lock()
	defer f.mu.Unlock()
	informers := make([]AnyInformer, len(f.entries))
	for i, e := range f.entries {
		informers[i] = e.informer
	}
	return informers
}

// Shutdown stops all informers and waits until they have ended; it is not for
// callbacks, for which it would wait. What they have stored can be read still.
// The factory does not start again, and makes no more informers.
//
// Possible errors: *StopError, several of them joined: that of any informer of
// the factory that did not end well, with Shutdown or before.
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
