package controller

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Options configures a controller. The zero value is a working default.
type Options struct {
	// MaxConcurrentReconciles is how many keys are worked on at the same time.
	// Default: 1.
	MaxConcurrentReconciles int

	// Backoff is how long a key waits after each failure in a row.
	Backoff Backoff

	// Sweep is the period in which every object of For's informer is looked at
	// again although nothing has happened: one after another, spread over the
	// period, after everything else there is to do. Nothing is read from the
	// server for it. A tenth of a second is the least. Default: never.
	Sweep time.Duration

	// ReconcileTimeout is how long one reconcile may take before its ctx ends.
	// Default: without bound.
	ReconcileTimeout time.Duration

	// WriteTimeout is how long a key waits until the informers have seen what
	// its last reconcile wrote, before that is an error. Default: two minutes.
	WriteTimeout time.Duration

	// StopTimeout is how long Run waits at its end for reconciles that have
	// begun. Then their ctx ends, and after CancelTimeout Run returns without
	// those that have not returned still, and names them. Defaults: 20 and 5
	// seconds.
	StopTimeout, CancelTimeout time.Duration

	// MaxPanics is how many panics in a row a key may cost before it is put into
	// quarantine: then it is not retried, but only looked at when its object has
	// changed. Default: 5. Negative: never.
	MaxPanics int

	// Logger is where problems are logged, and what [Logger] is made of.
	// Default: [slog.Default].
	Logger *slog.Logger

	// Trace is told of each key's way. Default: nobody.
	Trace *Trace
}

// Backoff is an exponential backoff, of each key on its own.
type Backoff struct {
	// Base is the wait after the first failure, doubled after each other one.
	// Default: 5 milliseconds.
	Base time.Duration
	// Max is the longest wait. Default: 5 minutes.
	Max time.Duration
}

// mistakes are the options that have no meaning, each as an error.
func (o Options) mistakes(controller string) error {
	var wrong []error
	negative := func(name string, v any) {
		wrong = append(wrong, fmt.Errorf("%w: %s: %s is %v, which is negative", ErrOptions, controller, name, v))
	}
	if o.MaxConcurrentReconciles < 0 {
		negative("MaxConcurrentReconciles", o.MaxConcurrentReconciles)
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"Backoff.Base", o.Backoff.Base}, {"Backoff.Max", o.Backoff.Max},
		{"Sweep", o.Sweep}, {"ReconcileTimeout", o.ReconcileTimeout}, {"WriteTimeout", o.WriteTimeout},
		{"StopTimeout", o.StopTimeout}, {"CancelTimeout", o.CancelTimeout},
	} {
		if d.value < 0 {
			negative(d.name, d.value)
		}
	}
	return errors.Join(wrong...)
}

// withDefaults are the options with what was left out.
func (o Options) withDefaults() Options {
	orDefault(&o.MaxConcurrentReconciles, 1)
	orDefault(&o.Backoff.Base, 5*time.Millisecond)
	orDefault(&o.Backoff.Max, 5*time.Minute)
	orDefault(&o.WriteTimeout, 2*time.Minute)
	orDefault(&o.StopTimeout, 20*time.Second)
	orDefault(&o.CancelTimeout, 5*time.Second)
	orDefault(&o.MaxPanics, 5)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

func orDefault[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}
