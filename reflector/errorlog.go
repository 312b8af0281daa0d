package reflector

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	// logInterval is the minimum time between two log lines for errors of the same
	// kind.
	logInterval = time.Minute
	// maxEarlyLines is how many further lines of the same kind may be logged within
	// logInterval for errors that a reader of the first line does not expect.
	maxEarlyLines = 2
)

// ErrorLog logs the errors of reflectors that have no WatchErrorHandler. Reflectors
// that share one, such as those of the namespaces of an informer, write together as
// many lines as one reflector.
//
// The first error of a kind is logged, and after that at most one per minute, with the
// number of errors that were not logged. The line names the reflector. Within the
// minute, up to two more lines are logged for errors that the first line does not
// imply: a resource has been served since, and is not served again; or another
// reflector has an error that may concern only its namespace, such as a missing
// permission. That a resource is not served is logged once, until that changes.
//
// When watches have been open for ten seconds after an outage that was logged, one
// line at level INFO says so. An outage consists of errors with a time of the next
// attempt.
type ErrorLog struct {
	name   string
	logger *slog.Logger

	mu sync.Mutex
	// kinds has what was logged of each kind. It is bounded by the number of
	// Reasons and verbs, and of states of a resource that is not served.
	kinds map[errorKind]*loggedKind
	// opened is when a reflector last opened a watch.
	opened time.Time

	recovery recoveryLog
}

type errorKind struct {
	verb     string
	reason   Reason
	notFound notFoundState
}

type loggedKind struct {
	// since is the time of the last line that was not an early one. lines is the number
	// of lines since then, including that one.
	since time.Time
	lines int
	// last is the time of the last line, source the reflector that it names.
	last   time.Time
	source string
	// sources are the reflectors that lines have named. The value is true until a line
	// says that the reflector has recovered.
	sources map[string]bool
	dropped int
	// done: repeated errors are not logged.
	done bool
}

// NewErrorLog returns a log for reflectors that share it by Options.ErrorLog. The name
// is that of all of them together. The default of a nil logger is [slog.Default].
func NewErrorLog(name string, logger *slog.Logger) *ErrorLog {
	return &ErrorLog{name: name, logger: logger}
}

// report logs an error of the reflector with the name source, if it is due.
func (l *ErrorLog) report(ctx context.Context, source string, err error, at time.Time) {
	kind := errorKind{reason: ReasonOther}
	known := (*Error)(nil)
	if errors.As(err, &known) {
		kind = errorKind{known.Verb, known.Reason, known.notFound}
	}
	l.mu.Lock()
	dropped, due := l.due(kind, source, known != nil && known.repeated, at)
	failing := 0
	if known != nil && !known.RetryAt.IsZero() {
		failing = l.recovery.failed(source, l.kinds[kind].sources[source], at)
	}
	l.mu.Unlock()
	if !due {
		return
	}
	attributes := []slog.Attr{slog.String("source", source)}
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
	if failing > 1 {
		attributes = append(attributes, slog.Int("failing", failing))
	}
	orDefault(l.logger).LogAttrs(ctx, slog.LevelWarn, "List or watch failed", attributes...)
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
// same. It needs mu.
func (l *ErrorLog) due(kind errorKind, source string, repeated bool, at time.Time) (dropped int, due bool) {
	logged := l.kinds[kind]
	switch {
	case logged == nil:
		if l.kinds == nil {
			l.kinds = map[errorKind]*loggedKind{}
		}
		logged = &loggedKind{sources: map[string]bool{}}
		l.kinds[kind] = logged
	case logged.done && (repeated || logged.source != source && !l.opened.After(logged.last)):
		return 0, false
	case at.Sub(logged.since) < logInterval && !l.dueEarly(kind, logged, source):
		logged.dropped++
		logged.done = false
		return 0, false
	}
	if at.Sub(logged.since) >= logInterval {
		logged.since, logged.lines = at, 0
	}
	dropped = logged.dropped
	logged.lines++
	logged.last, logged.source, logged.dropped, logged.done = at, source, 0, kind.notFound != notMissing
	logged.sources[source] = true
	return dropped, true
}

// isDue is due for errors of one kind.
func (l *ErrorLog) isDue(at time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, due := l.due(errorKind{}, "", false, at)
	return due
}

// dueEarly reports whether an error is logged although one of its kind was logged less
// than logInterval ago.
func (l *ErrorLog) dueEarly(kind errorKind, logged *loggedKind, source string) bool {
	if logged.lines > maxEarlyLines {
		return false
	}
	if kind.notFound != notMissing {
		return l.opened.After(logged.last)
	}
	_, named := logged.sources[source]
	return !named && kind.reason.isSpecific()
}

// isSpecific reports whether the failure may concern one namespace only.
func (r Reason) isSpecific() bool {
	return r == ReasonForbidden || r == ReasonUndecodable || r == ReasonStoreFailed
}

// DefaultWatchErrorHandler returns the default WatchErrorHandler of a reflector with this name,
// for a caller that decides only when an error occurs which handler to call. It logs the
// errors as an [ErrorLog] does, without the ends of outages.
func DefaultWatchErrorHandler(name string, logger *slog.Logger) func(ctx context.Context, err error) {
	log := NewErrorLog(name, logger)
	return func(ctx context.Context, err error) { log.report(ctx, name, err, time.Now()) }
}
