package reflector

import (
	"context"
	"log/slog"
	"sync"
	"time"
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
	// log is a *sharedLog.
	log failureLog
}

// NewErrorLog returns a log for reflectors that share it by Options.ErrorLog. The name
// is that of all of them together. The default of a nil logger is [slog.Default].
func NewErrorLog(name string, logger *slog.Logger) *ErrorLog {
	return &ErrorLog{log: &sharedLog{name: name, logger: logger}}
}

// A sharedLog logs the errors of several reflectors.
type sharedLog struct {
	// name is that of all reflectors together.
	name   string
	logger *slog.Logger

	mu       sync.Mutex
	lines    lineLimits
	recovery recoveryLog
}

// maxRecoveryDelay bounds the time for which the end of an outage is not logged because
// further reflectors open their watches.
const maxRecoveryDelay = time.Minute

// recoveryLog tracks the reflectors of a sharedLog that have failed, so that the end of
// an outage is one line for all of them. The mutex of the sharedLog guards its fields.
type recoveryLog struct {
	// running counts the reflectors that run.
	running int
	// outages has the reflectors that have failed and have not been healthy since.
	outages map[string]*outage
	// incomplete: the last line said that other reflectors fail.
	incomplete bool
	// timer calls the function that logs recovered reflectors. It is nil if no
	// reflector is recovering.
	timer *time.Timer
	// ofTimer is closed when the function of timer has returned, ofLast when the last one
	// that has been called has. nil if there is none.
	ofTimer, ofLast chan struct{}
}

// An outage of a reflector begins with an error after which it waits.
type outage struct {
	since time.Time
	// openedAt is when the watch was opened that ends the outage; zero while there is
	// none.
	openedAt time.Time
	// logged: a line has named the reflector, and no line has said that it recovered.
	logged bool
}

// failed records an error of a reflector, and returns the number of reflectors that
// fail. logged is that of the outage.
func (r *recoveryLog) failed(source string, logged bool, at time.Time) (failing int) {
	if r.running == 0 {
		return 1 // no reflector reports that it is healthy
	}
	o := r.outages[source]
	if o == nil {
		if r.outages == nil {
			r.outages = map[string]*outage{}
		}
		o = &outage{since: at}
		r.outages[source] = o
	}
	o.openedAt, o.logged = time.Time{}, o.logged || logged
	for _, o := range r.outages {
		if o.openedAt.IsZero() {
			failing++
		}
	}
	return failing
}

func (l *sharedLog) report(ctx context.Context, source string, err error, at time.Time) {
	kind, known := kindOf(err)
	l.mu.Lock()
	dropped, due := l.lines.due(kind, source, known != nil && known.repeated, at)
	failing := 0
	if known != nil && !known.RetryAt.IsZero() {
		failing = l.recovery.failed(source, l.lines.kinds[kind].sources[source], at)
	}
	l.mu.Unlock()
	if failing == 1 {
		failing = 0 // the one that the line names
	}
	if due {
		logError(ctx, l.logger, source, err, at, slog.Int("suppressed", dropped), slog.Int("failing", failing))
	}
}

func (l *sharedLog) begin(source string) (end func()) {
	l.mu.Lock()
	l.recovery.running++
	l.mu.Unlock()
	return func() { l.end(source) }
}

func (l *sharedLog) end(source string) {
	l.mu.Lock()
	for _, logged := range l.lines.kinds {
		delete(logged.sources, source)
	}
	r := &l.recovery
	delete(r.outages, source)
	r.running--
	var running []chan struct{}
	if r.running == 0 {
		if r.ofLast != nil {
			running = append(running, r.ofLast)
		}
		if r.timer != nil && !r.timer.Stop() {
			running = append(running, r.ofTimer)
		}
		r.timer = nil
	}
	l.mu.Unlock()
	for _, done := range running {
		<-done
	}
}

func (l *sharedLog) watchOpened(source string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines.opened = at
	o := l.recovery.outages[source]
	if o == nil || !o.openedAt.IsZero() {
		return
	}
	o.openedAt = at
	if l.recovery.timer == nil {
		l.checkAfter(healthyPeriod)
	}
}

// checkAfter starts the timer. It needs mu.
func (l *sharedLog) checkAfter(d time.Duration) {
	done := make(chan struct{})
	l.recovery.ofTimer = done
	l.recovery.timer = time.AfterFunc(d, func() {
		defer close(done)
		l.logRecovered(done)
	})
}

// logRecovered logs the reflectors that are healthy again. It runs on its own goroutine.
func (l *sharedLog) logRecovered(done chan struct{}) {
	l.mu.Lock()
	l.recovery.ofLast = done
	end := l.recovered(time.Now())
	l.mu.Unlock()
	if end != nil {
		logRecovered(l.logger, end.source, end.after, slog.Int("recovered", end.recovered), slog.Int("failing", end.failing))
	}
}

// outageEnd is the line about the end of an outage.
type outageEnd struct {
	source string
	after  time.Duration
	// recovered is the number of reflectors if there are several, failing that of those
	// that have not recovered.
	recovered, failing int
}

// recovered ends the outages of the reflectors that are healthy, and returns the line
// about them, nil if there is none. Reflectors recover one after
// another, so it waits until no further one has opened a watch for a while. It needs mu.
func (l *sharedLog) recovered(at time.Time) *outageEnd {
	r := &l.recovery
	r.timer = nil
	if wait := r.remaining(at); wait > 0 && r.running > 0 {
		l.checkAfter(wait)
		return nil
	}
	name, count, logged := "", 0, false
	var since, openedAt time.Time
	for source, o := range r.outages {
		if o.openedAt.IsZero() || at.Sub(o.openedAt) < healthyPeriod {
			continue
		}
		delete(r.outages, source)
		l.forgetLines(source)
		name, logged = source, logged || o.logged
		if count++; count == 1 || o.since.Before(since) {
			since = o.since
		}
		if o.openedAt.After(openedAt) {
			openedAt = o.openedAt
		}
	}
	if wait := r.remaining(at); wait > 0 {
		l.checkAfter(wait)
	}
	failing := len(r.outages)
	if count == 0 || !logged && !(r.incomplete && failing == 0) {
		return nil
	}
	r.incomplete = failing > 0
	end := &outageEnd{source: name, after: openedAt.Sub(since), failing: failing}
	if count > 1 {
		end.source, end.recovered = l.name, count
	}
	return end
}

// forgetLines records that the outage of a reflector has ended. It needs mu.
func (l *sharedLog) forgetLines(source string) {
	for _, kind := range l.lines.kinds {
		if kind.sources[source] {
			kind.sources[source] = false
		}
	}
}

// remaining returns the time until the next line about recovered reflectors. It is not
// positive if the line is due, or if no reflector is recovering.
func (r *recoveryLog) remaining(at time.Time) time.Duration {
	var first, last time.Time
	for _, o := range r.outages {
		if o.openedAt.IsZero() {
			continue
		}
		if first.IsZero() || o.openedAt.Before(first) {
			first = o.openedAt
		}
		if o.openedAt.After(last) {
			last = o.openedAt
		}
	}
	if first.IsZero() {
		return 0
	}
	return min(last.Add(healthyPeriod).Sub(at), first.Add(maxRecoveryDelay).Sub(at))
}
