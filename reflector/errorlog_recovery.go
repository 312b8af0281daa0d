package reflector

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// maxRecoveryDelay bounds the time for which the end of an outage is not logged because
// further reflectors open their watches.
const maxRecoveryDelay = time.Minute

// recoveryLog tracks the reflectors of an ErrorLog that have failed, so that the end of
// an outage is one line for all of them. The mutex of the ErrorLog guards its fields.
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
	// timers counts one for a timer that is set or whose function runs.
	timers sync.WaitGroup
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

// begin records that a reflector runs. end records its end, and waits for the last
// line of the log when no other one runs.
func (l *ErrorLog) begin(source string) (end func()) {
	l.mu.Lock()
	l.recovery.running++
	l.mu.Unlock()
	return func() { l.end(source) }
}

func (l *ErrorLog) end(source string) {
	l.mu.Lock()
	for _, logged := range l.kinds {
		delete(logged.sources, source)
	}
	r := &l.recovery
	delete(r.outages, source)
	r.running--
	last := r.running == 0
	if last && r.timer != nil && r.timer.Stop() {
		r.timer = nil
		r.timers.Done()
	}
	l.mu.Unlock()
	if last {
		r.timers.Wait()
	}
}

// watchOpened records that a reflector has opened a watch.
func (l *ErrorLog) watchOpened(source string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened = at
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
func (l *ErrorLog) checkAfter(d time.Duration) {
	l.recovery.timers.Add(1)
	l.recovery.timer = time.AfterFunc(d, l.logRecovered)
}

// logRecovered logs the reflectors that are healthy again. It runs on its own goroutine.
func (l *ErrorLog) logRecovered() {
	defer l.recovery.timers.Done()
	l.mu.Lock()
	attributes := l.recovered(time.Now())
	l.mu.Unlock()
	if attributes != nil {
		orDefault(l.logger).LogAttrs(context.Background(), slog.LevelInfo, "List or watch recovered", attributes...)
	}
}

// recovered ends the outages of the reflectors that are healthy, and returns the
// attributes of the line about them, nil if there is none. Reflectors recover one after
// another, so it waits until no further one has opened a watch for a while. It needs mu.
func (l *ErrorLog) recovered(at time.Time) []slog.Attr {
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
	if count > 1 {
		name = l.name
	}
	attributes := []slog.Attr{slog.String("source", name), slog.Duration("after", openedAt.Sub(since).Round(time.Millisecond))}
	if count > 1 {
		attributes = append(attributes, slog.Int("recovered", count))
	}
	if failing > 0 {
		attributes = append(attributes, slog.Int("failing", failing))
	}
	return attributes
}

// forgetLines records that the outage of a reflector has ended. It needs mu.
func (l *ErrorLog) forgetLines(source string) {
	for _, kind := range l.kinds {
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
