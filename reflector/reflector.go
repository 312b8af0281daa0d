package reflector

import (
	"context"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/listwatch"
)

// Reflector keeps a store equal to what a source serves.
type Reflector[T any] struct {
	source  listwatch.ListerWatcher[T]
	store   Store[T]
	options Options[T]
	// isNil says whether an object is a nil pointer.
	isNil func(T) bool

	running atomic.Bool
	// machine belongs to whoever has set running.
	machine machine
	board   board
	turn    turn
	log     *errorLog
}

// New returns a reflector that does nothing until it is run. What is wrong with
// its arguments is the error of Run.
func New[T any](source listwatch.ListerWatcher[T], store Store[T], o Options[T]) *Reflector[T] {
	if o.Name == "" {
		o.Name = nameOf(source)
	}
	r := &Reflector[T]{source: source, store: store, options: o, isNil: nilCheck[T]()}
	r.machine = machine{name: o.Name, preferList: o.PreferList, backoff: o.Backoff}
	r.log = &errorLog{logger: o.Logger, name: o.Name}
	if o.ResyncPeriod > 0 {
		r.turn = make(turn, 1)
	}
	r.board.write(&r.machine)
	return r
}

// nameOf is what a source calls its objects, else what Go calls them.
func nameOf[T any](source listwatch.ListerWatcher[T]) string {
	if served, ok := source.(interface{ ResourceInfo() listwatch.ResourceInfo }); ok && !isNilPointer(source) {
		if name := served.ResourceInfo().Resource; name != "" {
			return name
		}
	}
	return reflect.TypeFor[T]().String()
}

// Run keeps the store up to date until ctx is done, whatever fails; then it
// returns nil. Every wait in it ends with ctx, as far as the source's own calls
// do. It may be called again when it has returned, and reads everything again.
//
// Possible errors: ErrNoSource, ErrNoStore, ErrRunning.
func (r *Reflector[T]) Run(ctx context.Context) error { return r.run(ctx, false) }

// ListAndWatch takes over the state of the source once and watches from there
// until everything has to be read again, which is an error, or ctx is done,
// which is none. How to go on is the caller's to decide; Run waits, and begins
// again.
//
// Possible errors: *Error, ErrNoSource, ErrNoStore, ErrRunning.
func (r *Reflector[T]) ListAndWatch(ctx context.Context) error { return r.run(ctx, true) }

// LastSyncResourceVersion is the newest version that the store has been told.
// What the store makes of it, the store knows.
func (r *Reflector[T]) LastSyncResourceVersion() string { return r.board.version() }

// State tells what the reflector is doing. It may be called at any time.
func (r *Reflector[T]) State() State { return r.board.read(time.Now()) }

func (r *Reflector[T]) run(ctx context.Context, once bool) error {
	switch {
	case isNilPointer(r.source):
		return ErrNoSource
	case isNilPointer(r.store):
		return ErrNoStore
	case !r.running.CompareAndSwap(false, true):
		return ErrRunning
	}
	defer r.running.Store(false)
	ctx, end := context.WithCancel(ctx)
	defer r.resync(ctx)()
	defer end()
	return r.follow(ctx, once)
}

// follow does what the machine says, stage after stage.
func (r *Reflector[T]) follow(ctx context.Context, once bool) error {
	defer func() { r.step(ctx, input{kind: stop}) }()
	r.step(ctx, input{kind: start, trouble: r.trouble()})
	for ctx.Err() == nil {
		switch r.machine.stage {
		case streaming:
			r.stream(ctx)
		case listing:
			r.list(ctx)
		case checking:
			r.check(ctx)
		case opening:
			r.watch(ctx)
		default:
			if once && r.machine.after == starting {
				return r.machine.failures.err
			}
			r.wait(ctx)
		}
	}
	return nil
}

// step gives the machine an input, and does what of the outcome is the same
// everywhere.
func (r *Reflector[T]) step(ctx context.Context, in input) outcome {
	if in.at.IsZero() {
		in.at = time.Now()
	}
	before := r.machine.stage
	out := r.machine.step(in)
	trace := r.options.Trace
	if trace != nil && trace.Step != nil {
		trace.Step(in.at, in.String(), out.String())
	}
	if out.stage == before && out.report == nil {
		return out
	}
	r.board.write(&r.machine)
	if out.remember != "" {
		if memory, ok := r.source.(listwatch.WatchListMemory); ok {
			memory.NoteWatchListTrouble(out.remember)
		}
	}
	if out.report != nil {
		r.report(ctx, out.report)
	}
	if trace != nil && trace.Changed != nil {
		trace.Changed(r.State())
	}
	return out
}

// fail is a step for a failure, unless it is only that ctx is done.
func (r *Reflector[T]) fail(ctx context.Context, f failure) {
	if ctx.Err() == nil {
		r.step(ctx, input{kind: failed, failure: f, dice: dice()})
	}
}

func (r *Reflector[T]) report(ctx context.Context, err error) {
	if r.options.WatchErrorHandler != nil {
		r.options.WatchErrorHandler(ctx, err)
		return
	}
	r.log.report(ctx, err, time.Now())
}

// trouble is why the source cannot stream its initial state, as far as it or
// we know.
func (r *Reflector[T]) trouble() string {
	if memory, ok := r.source.(listwatch.WatchListMemory); ok {
		return memory.WatchListTrouble()
	}
	return r.machine.trouble
}

// wait lasts until the next attempt is due.
func (r *Reflector[T]) wait(ctx context.Context) {
	timer := time.NewTimer(time.Until(r.machine.failures.retryAt))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
		r.step(ctx, input{kind: due, trouble: r.trouble()})
	}
}
