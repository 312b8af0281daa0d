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

// A failureLog logs the errors of reflectors that have no WatchErrorHandler: an errorLog
// those of one reflector, a sharedLog those of several. It is an interface so that only
// programs with an ErrorLog contain its code.
type failureLog interface {
	// begin records that a reflector runs. The result records its end, and waits for the
	// goroutines of the log when no other one runs.
	begin(source string) (end func())
	// report logs an error of a reflector, if it is due.
	report(ctx context.Context, source string, err error, at time.Time)
	// watchOpened records that a reflector has opened a watch.
	watchOpened(source string, at time.Time)
}

// An errorLog logs the errors of one reflector, as an [ErrorLog] does.
type errorLog struct {
	logger *slog.Logger

	mu    sync.Mutex
	lines lineLimits
	// since is the time of the first error after which the reflector waited, since the
	// last line that said that it recovered. logged: a line was written since then.
	since  time.Time
	logged bool
	// timer calls logRecovered for the watch that was opened at openedAt. It is nil if the
	// reflector is not recovering.
	timer    *time.Timer
	openedAt time.Time
	// timers counts one for a timer that is set or whose function runs.
	timers sync.WaitGroup
}

func (l *errorLog) begin(string) (end func()) { return l.end }

func (l *errorLog) end() {
	l.mu.Lock()
	l.stopTimer()
	l.since, l.logged = time.Time{}, false
	l.mu.Unlock()
	l.timers.Wait()
}

// stopTimer needs mu.
func (l *errorLog) stopTimer() {
	if l.timer != nil && l.timer.Stop() {
		l.timers.Done()
	}
	l.timer = nil
}

func (l *errorLog) report(ctx context.Context, source string, err error, at time.Time) {
	kind, known := kindOf(err)
	l.mu.Lock()
	dropped, due := l.lines.due(kind, source, known != nil && known.repeated, at)
	if known != nil && !known.RetryAt.IsZero() {
		l.stopTimer()
		if l.since.IsZero() {
			l.since = at
		}
	}
	l.logged = l.logged || due
	l.mu.Unlock()
	if due {
		logError(ctx, l.logger, source, err, at, slog.Int("suppressed", dropped))
	}
}

func (l *errorLog) watchOpened(source string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines.opened = at
	if l.since.IsZero() || l.timer != nil {
		return
	}
	l.timers.Add(1)
	l.openedAt = at
	l.timer = time.AfterFunc(healthyPeriod, func() {
		defer l.timers.Done()
		l.logRecovered(source, at)
	})
}

// logRecovered logs that a watch has been open for some time, unless an error has stopped
// its timer meanwhile. It runs on its own goroutine.
func (l *errorLog) logRecovered(source string, opened time.Time) {
	l.mu.Lock()
	recovered := l.timer != nil && l.openedAt.Equal(opened)
	after, due := opened.Sub(l.since), recovered && l.logged
	if recovered {
		l.timer, l.since, l.logged = nil, time.Time{}, false
	}
	l.mu.Unlock()
	if due {
		logRecovered(l.logger, source, after)
	}
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

// lineLimits decides which errors are logged.
type lineLimits struct {
	// kinds has what was logged of each kind. It is bounded by the number of
	// Reasons and verbs, and of states of a resource that is not served.
	kinds map[errorKind]*loggedKind
	// opened is when a reflector last opened a watch.
	opened time.Time
}

// kindOf returns the kind of an error, and the error itself if it is an Error.
func kindOf(err error) (errorKind, *Error) {
	known := (*Error)(nil)
	if errors.As(err, &known) {
		return errorKind{known.Verb, known.Reason, known.notFound}, known
	}
	return errorKind{reason: ReasonOther}, nil
}

// logError writes a line about an error of a reflector. counts are left out if they are 0.
func logError(ctx context.Context, logger *slog.Logger, source string, err error, at time.Time, counts ...slog.Attr) {
	kind, known := kindOf(err)
	attributes := []slog.Attr{slog.String("source", source)}
	if known != nil {
		attributes = append(attributes, slog.String("verb", known.Verb))
	}
	attributes = append(attributes, slog.String("reason", string(kind.reason)), slog.Any("err", boundedError(err)))
	if known != nil {
		attributes = append(attributes, slog.String("retry", known.nextAttempt(at)))
	}
	writeLine(ctx, logger, slog.LevelWarn, "List or watch failed", attributes, counts)
}

// logRecovered writes a line about the end of an outage.
func logRecovered(logger *slog.Logger, source string, after time.Duration, counts ...slog.Attr) {
	attributes := []slog.Attr{slog.String("source", source), slog.Duration("after", after.Round(time.Millisecond))}
	writeLine(context.Background(), logger, slog.LevelInfo, "List or watch recovered", attributes, counts)
}

func writeLine(ctx context.Context, logger *slog.Logger, level slog.Level, message string, attributes, counts []slog.Attr) {
	for _, count := range counts {
		if count.Value.Int64() > 0 {
			attributes = append(attributes, count)
		}
	}
	orDefault(logger).LogAttrs(ctx, level, message, attributes...)
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
func (l *lineLimits) due(kind errorKind, source string, repeated bool, at time.Time) (dropped int, due bool) {
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

// dueEarly reports whether an error is logged although one of its kind was logged less
// than logInterval ago.
func (l *lineLimits) dueEarly(kind errorKind, logged *loggedKind, source string) bool {
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
	log := &errorLog{logger: logger}
	return func(ctx context.Context, err error) { log.report(ctx, name, err, time.Now()) }
}
