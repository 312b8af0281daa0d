package reflector

import (
	"context"
	"log/slog"
	"time"
)

// Options configures a reflector. The zero value is a working default.
type Options[T any] struct {
	// Name is what errors, logs and State call the reflector. Default: the
	// source's resource, else T.
	Name string

	// Filter says which objects are kept. One that it refuses is never handed
	// to the store, and is deleted there if it was kept before. A panic is
	// reported and costs that object's event. Default: all.
	Filter func(T) bool

	// ResyncPeriod is how often the store's Resync is called, counted from the
	// last time. Nothing is asked of the server for it. Default: never.
	ResyncPeriod time.Duration

	// PreferList: list, even where the source could stream its initial state.
	PreferList bool

	// WatchTimeout is how long the server is asked to keep a watch open: each
	// time a random duration between this and twice this. Default: 5 minutes.
	WatchTimeout time.Duration

	// Silence is how long a watch may bring nothing, not even a bookmark, before
	// it is replaced by another one at the same version; it is also how long a
	// list, or the opening of a watch, may be without an answer. A server sends
	// a bookmark about once a minute, but none where nothing changes: so this is
	// no failure yet, and nobody is told. If the server has gone away, the next
	// watch cannot be opened, and that is. Default: 3 minutes; negative: for
	// ever.
	Silence time.Duration

	// Backoff is how long to wait after a failure.
	Backoff Backoff

	// WatchErrorHandler hears of each failure, most of them a [*Error]: of a
	// list, of a watch, of an ERROR event in one, of an object that could not
	// be decoded. It is called on the reflector's goroutine, which waits for it;
	// with a ResyncPeriod, for a failed Resync, on another one as well. Default:
	// the first of a kind is logged, and after that one a minute at most, with
	// the number of those that were not.
	WatchErrorHandler func(ctx context.Context, err error)

	// Logger serves the default WatchErrorHandler. Default: [slog.Default].
	Logger *slog.Logger

	// Trace is told what the reflector does. Default: nobody.
	Trace *Trace
}

// Backoff is a growing wait: Base after the first failure, Factor times as long
// after each further one, Max at the most, each lengthened at random. It starts
// anew when a watch has proved healthy, and not before.
type Backoff struct {
	Base time.Duration // Default: 800 ms.
	Max  time.Duration // Default: 30 s, or Base if that is more.
	// Factor is what a wait is multiplied with; less than 1 counts as 1.
	// Default: 2.
	Factor float64
	// Jitter is by how much of itself a wait is lengthened at the most; negative
	// is not at all. Default: 1.
	Jitter float64
}
