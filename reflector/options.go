package reflector

import (
	"context"
	"log/slog"
	"time"
)

// Options configures a reflector. The zero value is a working default.
type Options[T any] struct {
	// Name identifies the reflector in errors, logs and State. Default: the
	// resource of the source with its namespace, such as "pods -n shop", or else
	// the name of the type T.
	Name string

	// Filter reports whether an object is kept. A rejected object is never
	// passed to the store, and is deleted from the store if it was kept before.
	// A panic of Filter is reported and affects only the event of that object.
	// Default: all objects are kept.
	Filter func(T) bool

	// ResyncPeriod is the time from one call of the store's Resync to the next.
	// A resync sends no request to the server. Default: never.
	ResyncPeriod time.Duration

	// PreferList lists the initial state even if the source can stream it.
	PreferList bool

	// WatchTimeout is how long the server is asked to keep a watch open. Each
	// watch asks for a random duration between WatchTimeout and twice that.
	// Default: 5 minutes.
	WatchTimeout time.Duration

	// IdleTimeout is how long a watch may deliver nothing, not even a bookmark,
	// before it is replaced by another watch from the same version. It also
	// bounds the wait for the response to a list or to the opening of a watch. A
	// server sends a bookmark about once a minute, but none if nothing changes,
	// so an idle watch is not a failure and is not reported. If the server is
	// unreachable, opening the next watch fails, and that failure is reported.
	// Default: 3 minutes; negative: no timeout.
	IdleTimeout time.Duration

	// Backoff configures the waits after failures.
	Backoff Backoff

	// WatchErrorHandler is called with each failure, in most cases an [*Error]:
	// of a list, of a watch, an ERROR event, an object that cannot be decoded.
	// It is called on the goroutine of the reflector, which waits for it. With a
	// ResyncPeriod it is also called on another goroutine, for a failed Resync.
	// Default: the errors are logged, at most about one per minute and kind, and so is
	// the end of an outage; see [ErrorLog].
	WatchErrorHandler func(ctx context.Context, err error)

	// Logger is used by the default WatchErrorHandler. Default: [slog.Default].
	Logger *slog.Logger

	// ErrorLog is used instead of Logger, and shared with other reflectors, if their
	// errors belong together. They must have different names. Default: a log of this
	// reflector only.
	ErrorLog *ErrorLog

	// Trace is called with the steps of the reflector. Default: no trace.
	Trace *Trace
}

// Backoff configures waits that grow exponentially: Base after the first
// failure, Factor times as long after each further failure, at most Max, each
// extended by a random jitter. The waits start again at Base only after a watch
// has been healthy for some time.
type Backoff struct {
	Base time.Duration // Default: 800 ms.
	Max  time.Duration // Default: 30 s, or Base if that is more.
	// Factor multiplies the wait after each failure. Values less than 1 count as
	// 1. Default: 2.
	Factor float64
	// Jitter is the largest fraction of a wait by which it is randomly extended.
	// A negative value disables jitter. Default: 1.
	Jitter float64
}
