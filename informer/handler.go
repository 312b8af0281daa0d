package informer

import (
	"fmt"
	"time"

	"github.com/thinformer/thinformer/internal/nilcheck"
)

// ResourceEventHandler receives the changes of an informer's objects, one call
// after another, on its own goroutine. For each key it receives OnAdd, then
// OnUpdates, then OnDelete; the old state of each update is the state of the
// previous call.
//
// Objects are shared with all readers of the informer: do not modify them
// ([Clone] makes a copy).
type ResourceEventHandler[T any] interface {
	// OnAdd is called when an object is added. isInInitialList reports whether the
	// object existed when the handler was added, or when the informer started.
	OnAdd(obj T, isInInitialList bool)
	// OnUpdate is called when oldObj has changed to newObj. In a resync both are
	// the same.
	OnUpdate(oldObj, newObj T)
	// OnDelete is called when an object is deleted. finalStateUnknown reports
	// whether the deletion was not observed; obj is then the last known state.
	OnDelete(obj T, finalStateUnknown bool)
}

// ResourceEventHandlerFuncs implements ResourceEventHandler by functions, each of
// which may be nil.
type ResourceEventHandlerFuncs[T any] struct {
	AddFunc    func(obj T, isInInitialList bool)
	UpdateFunc func(oldObj, newObj T)
	DeleteFunc func(obj T, finalStateUnknown bool)
}

var _ ResourceEventHandler[int] = ResourceEventHandlerFuncs[int]{}

// OnAdd calls AddFunc.
func (f ResourceEventHandlerFuncs[T]) OnAdd(obj T, isInInitialList bool) {
	if f.AddFunc != nil {
		f.AddFunc(obj, isInInitialList)
	}
}

// OnUpdate calls UpdateFunc.
func (f ResourceEventHandlerFuncs[T]) OnUpdate(oldObj, newObj T) {
	if f.UpdateFunc != nil {
		f.UpdateFunc(oldObj, newObj)
	}
}

// OnDelete calls DeleteFunc.
func (f ResourceEventHandlerFuncs[T]) OnDelete(obj T, finalStateUnknown bool) {
	if f.DeleteFunc != nil {
		f.DeleteFunc(obj, finalStateUnknown)
	}
}

// DeletionHandler is a ResourceEventHandler that wraps another one and selects
// objects, as [FilteringResourceEventHandler] does. To report a deletion it needs
// the state that the wrapped handler has seen last.
type DeletionHandler[T any] interface {
	ResourceEventHandler[T]
	// OnDeleteWithState is called instead of OnDelete. seen is the state that the
	// handler received last, last is the final state of the object. They differ if
	// the deletion changed the object, or if an update was merged into the delete.
	OnDeleteWithState(seen, last T, finalStateUnknown bool)
}

// callOnDelete calls OnDelete with the last state of an object. A filter also
// receives the state that its handler has seen before. The filter is recognized
// by its type and not by a method: a struct that embeds it has its methods, and
// may have an OnDelete of its own.
func callOnDelete[T any](h ResourceEventHandler[T], seen, last T, finalStateUnknown bool) {
	switch h := h.(type) {
	case FilteringResourceEventHandler[T]:
		h.onDeleteAfter(seen, last, finalStateUnknown)
	case *FilteringResourceEventHandler[T]:
		h.onDeleteAfter(seen, last, finalStateUnknown)
	case DeletionHandler[T]:
		h.OnDeleteWithState(seen, last, finalStateUnknown)
	default:
		h.OnDelete(last, finalStateUnknown)
	}
}

// checkHandler returns an error if h, or a handler that it wraps, is nil or a nil
// pointer. The error is ErrNoHandler.
func checkHandler[T any](h ResourceEventHandler[T]) error {
	if h == nil {
		return ErrNoHandler
	}
	if nilcheck.IsNilPointer(h) {
		return fmt.Errorf("%w: it is a nil %T", ErrNoHandler, h)
	}
	if outer, ok := h.(interface{ checkHandler() error }); ok {
		if err := outer.checkHandler(); err != nil {
			return fmt.Errorf("%T: %w", h, err)
		}
	}
	return nil
}

// HandlerOptions configures one handler. The zero value is a working default.
type HandlerOptions struct {
	// Name identifies the handler in logs, errors and State. Default: its type
	// and a number.
	Name string

	// ResyncPeriod is how often the handler receives an OnUpdate for every stored
	// object, with old and new the same. A resync does not read the server. A period
	// begins when the handler has synced or has completed the previous resync.
	// While notifications are merged for the handler, a resync waits. Default:
	// never.
	ResyncPeriod time.Duration

	// MaxPending is how many notifications may wait for the handler individually.
	// Beyond that they are merged per key: an Add and its Updates become one Add,
	// Updates become one from the oldest old to the newest new state, objects that
	// were added and deleted meanwhile are not reported, and at most two
	// notifications wait per key. The initial list does not count. If an update
	// was merged into a deletion, OnDelete receives only the last state of the
	// object, which the handler may never have seen; a DeletionHandler, such as
	// FilteringResourceEventHandler, also receives the state that it has seen
	// last. Negative: never merge, with unbounded memory. Default: 1024.
	MaxPending int

	// StopTimeout is how long Run waits at its end for a running callback.
	// Default: no limit.
	StopTimeout time.Duration

	// Panic determines the effect of a panic of the handler. Default: ReportPanics.
	Panic PanicPolicy
}

func (o HandlerOptions) check() error {
	switch {
	case o.ResyncPeriod < 0:
		return fmt.Errorf("%w: ResyncPeriod is %s", ErrHandlerOptions, o.ResyncPeriod)
	case o.StopTimeout < 0:
		return fmt.Errorf("%w: StopTimeout is %s", ErrHandlerOptions, o.StopTimeout)
	case o.Panic > CrashOnPanic:
		return fmt.Errorf("%w: Panic is %d", ErrHandlerOptions, o.Panic)
	}
	return nil
}

// withDefaults returns the options of handler h. number is its default number.
func (o HandlerOptions) withDefaults(h any, number int) HandlerOptions {
	if o.Name == "" {
		o.Name = fmt.Sprintf("%T#%d", h, number)
	}
	if o.MaxPending == 0 {
		o.MaxPending = defaultMaxPending
	}
	return o
}

// PanicPolicy is the effect of a panic of a handler.
type PanicPolicy uint8

const (
	// ReportPanics logs the panic with its stack, and the handler continues with
	// its next notification. A callback that ends its goroutine (runtime.Goexit)
	// is treated the same under both policies.
	ReportPanics PanicPolicy = iota
	// CrashOnPanic lets the panic end the process.
	CrashOnPanic
)

// defaultMaxPending is more than the backlog of a handler that keeps up.
const defaultMaxPending = 1024
