package reflector

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// logInterval is the minimum time between two log lines for errors of the same
// kind.
const logInterval = time.Minute

// errorLog is the default WatchErrorHandler. It logs the first error of a kind,
// and after that at most one per minute, with the number of errors that were not
// logged. That a resource is not served is logged once, until that changes.
type errorLog struct {
	logger *slog.Logger
	name   string

	mu sync.Mutex
	// kinds has what was logged of each kind. It is bounded by the number of
	// Reasons and verbs, and of states of a resource that is not served.
	kinds map[errorKind]*loggedKind
}

type errorKind struct {
	verb     string
	reason   Reason
	notFound notFoundState
}

type loggedKind struct {
	last    time.Time
	dropped int
	// done: repeated errors are not logged.
	done bool
}

func (l *errorLog) report(ctx context.Context, err error, at time.Time) {
	kind := errorKind{reason: ReasonOther}
	known := (*Error)(nil)
	if errors.As(err, &known) {
		kind = errorKind{known.Verb, known.Reason, known.notFound}
	}
	dropped, due := l.due(kind, known != nil && known.repeated, at)
	if !due {
		return
	}
	logger := l.logger
	if logger == nil {
		logger = slog.Default()
	}
	attributes := []slog.Attr{slog.String("source", l.name)}
	if known != nil {
		attributes = append(attributes, slog.String("verb", known.Verb))
	}
	attributes = append(attributes, slog.String("reason", string(kind.reason)), slog.Any("err", boundedError(err)))
	if known != nil {
		attributes = append(attributes, slog.String("retry", known.nextAttempt(at)))
	}
	if dropped > 0 {
		attributes = append(attributes, slog.Int("suppressed", dropped))
	}
	logger.LogAttrs(ctx, slog.LevelWarn, "List or watch failed", attributes...)
}

// nextAttempt describes when the next attempt is made.
func (e *Error) nextAttempt(now time.Time) string {
	in := "in " + max(0, e.RetryAt.Sub(now)).Round(time.Millisecond).String()
	switch {
	case e.notFound == notServed:
		return "when it is served, checked " + in
	case !e.RetryAt.IsZero():
		return in
	case itemError(e.Err) != nil:
		return "when the object changes"
	}
	return "immediately"
}

// due reports whether an error of a kind is to be logged, and returns how many
// were not logged since the last one. repeated is set if the error before it was the
// same.
func (l *errorLog) due(kind errorKind, repeated bool, at time.Time) (dropped int, due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	logged := l.kinds[kind]
	switch {
	case logged == nil:
		if l.kinds == nil {
			l.kinds = map[errorKind]*loggedKind{}
		}
		l.kinds[kind] = &loggedKind{last: at, done: kind.notFound != notMissing}
		return 0, true
	case repeated && logged.done:
		return 0, false
	case at.Sub(logged.last) < logInterval:
		logged.dropped++
		logged.done = false
		return 0, false
	}
	dropped = logged.dropped
	logged.last, logged.dropped, logged.done = at, 0, kind.notFound != notMissing
	return dropped, true
}

// DefaultWatchErrorHandler returns the default WatchErrorHandler of a reflector with this name,
// for a caller that decides only when an error occurs which handler to call.
func DefaultWatchErrorHandler(name string, logger *slog.Logger) func(ctx context.Context, err error) {
	log := &errorLog{logger: logger, name: name}
	return func(ctx context.Context, err error) { log.report(ctx, err, time.Now()) }
}
