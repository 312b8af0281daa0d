package reflector

import (
	"context"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/listwatch"
)

// Reflector keeps a store equal to the contents of a source.
type Reflector[T any] struct {
	source  listwatch.ListerWatcher[T]
	store   Store[T]
	options Options[T]
	// isNil reports whether an object is a nil pointer.
	isNil func(T) bool

	running atomic.Bool
	// machine is owned by the goroutine that has set running.
	machine   machine
	published publishedState
	recovery  recoveryReporter
	storeMu   storeMutex
	log       failureLog
	// undecoded describes the initial state in the store, pendingUndecoded the
	// one that is being read. Both are owned by Run, as machine is.
	undecoded, pendingUndecoded undecoded
}

// New returns a reflector. It does nothing until Run is called. Invalid
// arguments are an error of Run.
func New[T any](source listwatch.ListerWatcher[T], store Store[T], o Options[T]) *Reflector[T] {
	if o.Name == "" {
		o.Name = nameOf(source)
	}
	o.WatchErrorHandler = RecoverPanics(o.Name, o.Logger, o.WatchErrorHandler)
	r := &Reflector[T]{source: source, store: store, options: o, isNil: nilCheck[T]()}
	r.machine = machine{name: o.Name, preferList: o.PreferList, backoff: o.Backoff, order: versionOrder{declared: orderOf(source)}}
	r.log = &errorLog{logger: o.Logger}
	if o.ErrorLog != nil {
		r.log = o.ErrorLog.log
	}
	if o.ResyncPeriod > 0 {
		r.storeMu = make(storeMutex, 1)
	}
	r.published.publish(&r.machine)
	return r
}

// nameOf returns the resource of a source as in kubectl commands, or else the
// name of the Go type.
func nameOf[T any](source listwatch.ListerWatcher[T]) string {
	if served, ok := source.(listwatch.ResourceDescriber); ok && !nilcheck.IsNilPointer(source) {
		if name := served.ResourceInfo().Resource; name != "" {
			if narrow, ok := source.(listwatch.NamespaceScoped); ok && narrow.ScopedNamespace() != "" {
				name += " -n " + narrow.ScopedNamespace()
			}
			return name
		}
	}
	return reflect.TypeFor[T]().String()
}

// Run keeps the store up to date until ctx is done, whatever fails, and then
// returns nil. All its waits end with ctx, provided that the calls of the source
// do. Run may be called again after it has returned; it then reads the whole
// state again.
//
// Possible errors: ErrNoSource, ErrNoStore, ErrRunning, and the mistakes that
// the source knows of (see [listwatch.Checker]).
func (r *Reflector[T]) Run(ctx context.Context) error { return r.run(ctx, false) }

// ListAndWatch reads the state of the source once and watches from there. It
// returns an error when the state has to be read again, and nil when ctx is
// done. Run calls it in a loop, with waits; a caller of ListAndWatch decides
// itself how to continue.
//
// Possible errors: *Error, those of Run.
func (r *Reflector[T]) ListAndWatch(ctx context.Context) error { return r.run(ctx, true) }

// LastSyncResourceVersion returns the newest version that the store has
// received. If the store is a queue, its consumers may not have processed it
// yet.
func (r *Reflector[T]) LastSyncResourceVersion() string { return r.published.version() }

// State returns what the reflector is doing. It may be called at any time.
func (r *Reflector[T]) State() State { return r.published.snapshot(time.Now()) }

func (r *Reflector[T]) run(ctx context.Context, once bool) error {
	switch {
	case nilcheck.IsNilPointer(r.source):
		return ErrNoSource
	case nilcheck.IsNilPointer(r.store):
		return ErrNoStore
	}
	if err := listwatch.Check(r.source); err != nil && ctx.Err() == nil {
		return fmt.Errorf("reflector of %s: %w", r.options.Name, err)
	}
	switch {
	case !r.running.CompareAndSwap(false, true):
		return ErrRunning
	}
	defer r.running.Store(false)
	defer r.recovery.join(r.source)()
	defer r.log.begin(r.options.Name)()
	ctx, end := context.WithCancel(ctx)
	defer r.resync(ctx)()
	defer end()
	return r.runStages(ctx, once)
}

// runStages runs the stages that the machine decides on, one after another.
func (r *Reflector[T]) runStages(ctx context.Context, once bool) error {
	defer func() { r.step(ctx, input{kind: inputStop}) }()
	r.step(ctx, input{kind: inputStart, listReason: r.listReason()})
	for ctx.Err() == nil {
		switch stage := r.machine.stage; {
		case stage != stageWaiting && r.mustWait(ctx):
			// The machine is in stageWaiting now.
		case stage == stageStreaming:
			r.stream(ctx)
		case stage == stageListing:
			r.list(ctx)
		case stage == stageOpening:
			r.watch(ctx)
		default:
			if once && r.machine.pause.next == stageStarting && !r.machine.pause.beforeRequest {
				return r.machine.failures.err
			}
			r.wait(ctx)
		}
	}
	return nil
}

// step passes an input to the machine, and handles the parts of the outcome that
// do not depend on the stage.
func (r *Reflector[T]) step(ctx context.Context, in input) outcome {
	if in.at.IsZero() {
		in.at = time.Now()
	}
	in.failure.err = boundedError(in.failure.err)
	before, unordered := r.machine.stage, r.machine.order.unorderedReason()
	out := r.machine.step(in)
	trace := r.options.Trace
	if trace != nil && trace.Step != nil {
		trace.Step(in.at, in.String(), out.String())
	}
	if out.stage == before && out.report == nil && r.machine.order.unorderedReason() == unordered {
		return out
	}
	r.published.publish(&r.machine)
	if out.remember != "" {
		if memory, ok := r.source.(listwatch.WatchListRecorder); ok {
			memory.SetWatchListUnsupported(out.remember)
		}
	}
	if out.report != nil {
		r.report(ctx, out.report)
	}
	if out.stage == stageWatching && before != stageWatching {
		r.log.watchOpened(r.options.Name, in.at)
	}
	if trace != nil && trace.Changed != nil {
		trace.Changed(r.State())
	}
	return out
}

// fail passes a failure to the machine, unless ctx is done.
func (r *Reflector[T]) fail(ctx context.Context, f failure) {
	if ctx.Err() == nil {
		r.step(ctx, input{kind: inputFailed, failure: r.recovery.failed(f), jitter: randomJitter()})
	}
}

func (r *Reflector[T]) report(ctx context.Context, err error) {
	if r.options.WatchErrorHandler != nil {
		r.options.WatchErrorHandler(ctx, err)
		return
	}
	r.log.report(ctx, r.options.Name, err, time.Now())
}

// listReason returns why the source cannot stream its initial state, as far as
// the source or this reflector knows; "" if it can.
func (r *Reflector[T]) listReason() string {
	if memory, ok := r.source.(listwatch.WatchListRecorder); ok {
		return memory.WatchListUnsupported()
	}
	return r.machine.fallback.listReason
}

// wait returns when the next attempt is due.
func (r *Reflector[T]) wait(ctx context.Context) {
	if r.machine.pause.shared {
		if r.recovery.member.Wait(ctx, r.machine.failures.retryAt) == nil {
			r.step(ctx, input{kind: inputReleased, listReason: r.listReason()})
		}
		return
	}
	if r.machine.pause.untilServed {
		repeated, err := r.recovery.member.WaitUntilServed(ctx, r.machine.failures.retryAt)
		if err == nil {
			r.step(ctx, input{kind: inputWaitOver, listReason: r.listReason(), served: !repeated})
		}
		return
	}
	timer := time.NewTimer(time.Until(r.machine.failures.retryAt))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
		r.step(ctx, input{kind: inputWaitOver, listReason: r.listReason()})
	}
}
