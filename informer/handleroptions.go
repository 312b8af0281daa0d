package informer

import (
	"fmt"
	"time"
)

// HandlerOptions configures one handler. The zero value is a working default.
type HandlerOptions struct {
	// Name is what logs, errors and State call the handler. Default: its type
	// and a number.
	Name string

	// ResyncPeriod is how often the handler gets an OnUpdate of every object as
	// it is, old and new the same. The server is not asked for it. A period
	// begins when the handler has synced, or has been told the resync before.
	// While notifications are merged for the handler a resync waits. Default:
	// never.
	ResyncPeriod time.Duration

	// MaxPending is how many notifications may wait for the handler one by one.
	// Past it they are merged per key: an Add and its Updates become one Add,
	// Updates become one from the oldest old to the newest new state, what was
	// added and deleted meanwhile is not told at all, and at most two wait per
	// key. What the handler is told first, the initial list, does not count.
	// A handler that chooses objects is told by a merged deletion of the last
	// state only; FilteringResourceEventHandler knows the one it has seen, too.
	// Negative: never merge; then memory is not bounded. Default: 1024.
	MaxPending int

	// StopTimeout is how long Run waits at its end for a callback that has not
	// returned. Default: without bound.
	StopTimeout time.Duration

	// Panic says what a panic of the handler costs. Default: ReportPanics.
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

// withDefaults are the options of handler h, which was the number-th.
func (o HandlerOptions) withDefaults(h any, number int) HandlerOptions {
	if o.Name == "" {
		o.Name = fmt.Sprintf("%T#%d", h, number)
	}
	if o.MaxPending == 0 {
		o.MaxPending = defaultMaxPending
	}
	return o
}

// PanicPolicy says what a panic of a handler costs.
type PanicPolicy uint8

const (
	// ReportPanics logs the panic with its stack, and the handler goes on with
	// its next notification. A callback that ends its goroutine (runtime.Goexit)
	// is treated so by either policy.
	ReportPanics PanicPolicy = iota
	// CrashOnPanic lets the panic end the process.
	CrashOnPanic
)

// defaultMaxPending is more than a handler that keeps up ever has waiting.
const defaultMaxPending = 1024
