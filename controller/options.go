package controller

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Options configures a controller. The zero value is a working default.
type Options struct {
	// MaxConcurrentReconciles is the number of workers: how many keys are reconciled
	// at the same time. Default: 1.
	MaxConcurrentReconciles int

	// Backoff is the delay of a key after each consecutive failure.
	Backoff Backoff

	// ResyncPeriod is the period in which every object of For's informer is reconciled
	// again although it has not changed. The keys are spread evenly over the period
	// and have the lowest priority. A resync reads nothing from the server. The
	// minimum is 100 milliseconds. Default: no resync.
	ResyncPeriod time.Duration

	// ReconcileTimeout is the maximum duration of one reconcile, after which its ctx
	// ends. Default: no limit.
	ReconcileTimeout time.Duration

	// WriteTimeout is how long a key waits for the informers to observe what its last
	// reconcile wrote. After that the server is asked whether the informer's selectors
	// exclude the object. If they do not, a [StaleError] is reported and the key
	// continues to wait. For an object that the last such query found to be excluded,
	// the server is asked after one second. Default: two minutes.
	WriteTimeout time.Duration

	// StopTimeout is how long Run, when it stops, waits for reconciles that are in
	// progress. Then their ctx ends. After another CancelTimeout Run returns a
	// [StopError] that names the reconciles that still have not returned. Defaults: 20
	// and 5 seconds.
	StopTimeout, CancelTimeout time.Duration

	// MaxPanics is the number of consecutive panics after which a key is put into
	// quarantine. A key in quarantine is not retried; it is reconciled only when its
	// object changes. Default: 5. If negative, no key is put into quarantine.
	MaxPanics int

	// Logger receives log output and is the base of [Logger]. Default: [slog.Default].
	Logger *slog.Logger

	// Trace is called at each step of a key. Default: none.
	Trace *Trace
}

// Backoff is an exponential backoff, counted for each key separately.
type Backoff struct {
	// Base is the delay after the first failure. It doubles with each further failure.
	// Default: 5 milliseconds.
	Base time.Duration
	// Max is the maximum delay. Default: 5 minutes.
	Max time.Duration
}

// validate returns an error for each option that has no meaning.
func (o Options) validate(controller string) error {
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
		{"ResyncPeriod", o.ResyncPeriod}, {"ReconcileTimeout", o.ReconcileTimeout}, {"WriteTimeout", o.WriteTimeout},
		{"StopTimeout", o.StopTimeout}, {"CancelTimeout", o.CancelTimeout},
	} {
		if d.value < 0 {
			negative(d.name, d.value)
		}
	}
	return errors.Join(wrong...)
}

// withDefaults returns the options with defaults filled in.
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
