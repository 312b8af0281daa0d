package stack

import (
	"context"
	"time"

	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/reflector"
)

// ListerWatcher is the part of step 4, and an interface of the library.
type ListerWatcher = listwatch.ListerWatcher[Object]

// Store receives what a Reflector reads: an interface of the library.
type Store = reflector.Store[Object]

// Follower is one part of step 5.
type Follower interface {
	// Follow watches from the version on, passes each event to the store, and opens the
	// watch again if it breaks. If it cannot go on, it returns the last version and the
	// reason: ctx, an expired version, or another response that waiting cannot change.
	Follow(ctx context.Context, version string) (last string, err error)
}

// Backoff is the other part of step 5: the time to wait before the next attempt.
type Backoff interface {
	// Next returns the time, which grows from call to call.
	Next() time.Duration
	// Reset makes the next time the shortest one.
	Reset()
}

// Reflector is the part of step 6: it keeps a store up to date.
type Reflector interface {
	// Run lists and watches until ctx is done, and returns the error of ctx.
	Run(ctx context.Context) error
	// LastVersion returns the last version that has reached the store.
	LastVersion() string
}

// ReflectorOptions are the options of NewReflector.
type ReflectorOptions struct {
	// Stream requests the initial objects as events of a watch instead of a list.
	Stream bool
	// Silence is the longest time until the mark that ends the initial events.
	Silence time.Duration
	Backoff Backoff // after a failed list
	Follow  func(Store) Follower
}
