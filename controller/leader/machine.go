package leader

import (
	"time"
)

// machine decides what a candidate or leader does next. It has no clock: the time is
// passed to its methods, and all times are of the local monotonic clock.
//
// Three rules prevent two leaders from acting at once. The leader counts from when it
// began to send its last accepted renewal. Candidates count from when they first
// received a record, which is later. And each write replaces exactly the version that
// was read.
type machine struct {
	identity string
	// leaseDuration is how long candidates wait. They read it as whole seconds.
	// renewDeadline is how long the leader leads.
	leaseDuration, renewDeadline, retryPeriod time.Duration
	// random returns a number in [0, 1) for jitter.
	random func() float64

	// newest is the Lease as last read or written, nil if there was none.
	newest *lease
	// fresh is set while newest is assumed to be what the server has.
	fresh bool
	// record is the last known record. It is kept when the Lease is deleted. seen is
	// when it was first received, or when the Lease was first found deleted; zero if
	// there never was one.
	record record
	seen   time.Time
	// lastResponse is the time of the server's last response.
	lastResponse time.Time

	// sent holds the records that this process has sent: the last accepted one, and
	// later ones whose result is not known. A record with our identity that is not
	// among them belongs to another process.
	sent []record
	// lastTime is the renew time of the last record sent.
	lastTime time.Time

	// leading is set when the last renewal was accepted; renewed is when it was begun.
	// The caller checks that renewDeadline has not passed since.
	leading bool
	renewed time.Time

	// nextAttempt is the time of the next step. failures counts consecutive failed
	// requests.
	nextAttempt time.Time
	failures    int
}

// step is the next action.
type step struct {
	do action
	// until is the end of a wait, or the deadline of a request.
	until time.Time
}

type action int

const (
	wait action = iota
	read
	write
	done
)

// next returns the next step.
func (m *machine) next(now time.Time) step {
	switch {
	case now.Before(m.nextAttempt):
		return step{wait, m.nextAttempt}
	case !m.fresh:
		return step{read, m.requestDeadline(now)}
	case m.shouldWrite(now):
		return step{write, m.requestDeadline(now)}
	}
	// If the lease expires soon, read it again not much later than that.
	m.fresh = false
	m.nextAttempt = m.jittered(now, m.retryPeriod)
	if expires := m.expires(); expires.Before(m.nextAttempt) {
		m.nextAttempt = m.jittered(expires, m.retryPeriod/4)
	}
	return step{wait, m.nextAttempt}
}

// nextRelease returns the next step of releasing the Lease.
func (m *machine) nextRelease(now time.Time) step {
	switch {
	case len(m.sent) == 0:
		return step{do: done}
	case now.Before(m.nextAttempt) && m.failures > 0:
		return step{wait, m.nextAttempt}
	case !m.fresh:
		return step{do: read}
	case m.newest == nil || !m.isOurs():
		return step{do: done}
	}
	return step{do: write}
}

// requestDeadline returns the deadline of a request. A leader's request leaves time
// for a second one on another connection.
func (m *machine) requestDeadline(now time.Time) time.Time {
	if !m.leading {
		return now.Add(m.renewDeadline / 2)
	}
	left := m.deadline().Sub(now)
	return now.Add(min(max(left/2, m.retryPeriod), left))
}

// deadline returns when the leader stops leading.
func (m *machine) deadline() time.Time { return m.renewed.Add(m.renewDeadline) }

// leads reports whether this process is the leader.
func (m *machine) leads(now time.Time) bool { return m.leading && now.Before(m.deadline()) }

// expires returns when the lease of the holder expires.
func (m *machine) expires() time.Time {
	lasts := time.Duration(m.record.seconds) * time.Second
	if lasts <= 0 || m.isDeleted() {
		lasts = max(lasts, m.leaseDuration)
	}
	return m.seen.Add(lasts)
}

// shouldWrite reports whether the Lease can be acquired or renewed.
func (m *machine) shouldWrite(now time.Time) bool {
	return m.isFree(now) || m.isOurs() && (m.leading || !m.isDeleted())
}

func (m *machine) isFree(now time.Time) bool {
	return m.record.holder == "" && !m.isDeleted() || !now.Before(m.expires())
}

// isDeleted reports whether a Lease that existed was deleted. Its holder may be a
// process that this one has never observed, so this process waits as if it had
// observed a renewal. A process that has never seen a Lease does not wait.
func (m *machine) isDeleted() bool { return m.newest == nil && !m.seen.IsZero() }

func (m *machine) isOurs() bool {
	for _, w := range m.sent {
		if w == m.record {
			return true
		}
	}
	return false
}

// heldRecord returns the record that acquires or renews the Lease. wallTime is the wall
// clock time, which is informational.
func (m *machine) heldRecord(wallTime time.Time) record {
	r := record{
		holder: m.identity, seconds: seconds(m.leaseDuration), transitions: m.record.transitions,
		renew: m.distinctTime(wallTime),
	}
	r.acquire = r.renew
	if m.isOurs() {
		r.acquire = m.record.acquire
	} else if m.record != (record{}) {
		r.transitions++
	}
	return r
}

// releasedRecord returns a record without a holder, in client-go's form.
func (m *machine) releasedRecord(wallTime time.Time) record {
	now := m.distinctTime(wallTime)
	return record{seconds: 1, transitions: m.record.transitions, acquire: now, renew: now}
}

// distinctTime returns a time that differs from those of earlier records, even if the
// clock does not advance, since other processes do not notice a renewal that changes
// nothing. A clock that was set back by more than a minute is followed.
func (m *machine) distinctTime(wallTime time.Time) string {
	if back := m.lastTime.Sub(wallTime); back >= 0 && back < time.Minute {
		wallTime = m.lastTime.Add(time.Microsecond)
	}
	m.lastTime = wallTime.Round(0).Truncate(time.Microsecond)
	return microTime(m.lastTime)
}

// recordSent records a record before it is sent.
func (m *machine) recordSent(r record) {
	const maxSent = 64 // far more than the attempts until a deadline
	m.sent = append(m.sent[max(0, len(m.sent)-maxSent):], r)
}

// observed handles a response with the state of the server. l is nil if there is no
// Lease.
func (m *machine) observed(l *lease, now time.Time) {
	moved := (m.newest == nil) != (l == nil) || l != nil && l.object.GetResourceVersion() != m.newest.object.GetResourceVersion()
	m.newest, m.fresh = l, true
	m.nextAttempt = now
	// After a long gap it is not known whether a Lease existed meanwhile.
	moved = moved || l == nil && now.Sub(m.lastResponse) > 2*m.retryPeriod
	m.lastResponse = now
	switch {
	case l == nil && moved && !m.seen.IsZero():
		m.seen = now
	case l != nil && (l.record != m.record || m.seen.IsZero()):
		m.record, m.seen = l.record, now
	}
	if !m.shouldWrite(now) {
		// If a write is needed, only its success resets the failures.
		m.failures = 0
	}
	if l == nil || m.isOurs() {
		return
	}
	m.leading = false
	if moved {
		// Writes that were sent and are not visible cannot arrive later: they were for
		// an earlier version.
		m.sent = nil
	}
}

// accepted handles the response to a write that the server has stored. begun is when
// it was sent.
func (m *machine) accepted(l *lease, begun, now time.Time) {
	m.observed(l, now)
	m.sent, m.failures = []record{l.record}, 0
	m.renewed = begun
	// A response after the deadline does not count.
	m.leading = l.record.holder == m.identity && now.Before(m.deadline())
	if m.leading {
		m.nextAttempt = begun.Add(m.retryPeriod)
	}
}

// refused handles a conflict: the server has another version than the one replaced.
func (m *machine) refused(now time.Time) {
	m.fresh = false
	m.nextAttempt = now
	// Back off if it happens repeatedly.
	if m.failures++; m.failures > 1 {
		m.nextAttempt = m.jittered(now, m.backoff())
	}
}

// failed handles a request whose result is not known. asked is the delay requested by
// the server.
func (m *machine) failed(now time.Time, asked time.Duration) {
	m.failures++
	delay := m.backoff()
	if !m.leading {
		m.fresh = false
		delay = max(delay, min(asked, m.leaseDuration))
	}
	m.nextAttempt = m.jittered(now, delay)
}

// backoff starts at a quarter of retryPeriod.
func (m *machine) backoff() time.Duration {
	return m.retryPeriod / 4 << min(max(m.failures-1, 0), 2)
}

// lost ends the leadership, whatever was accepted.
func (m *machine) lost() { m.leading = false }

func (m *machine) jittered(from time.Time, d time.Duration) time.Time {
	return from.Add(d + time.Duration(m.random()*(jitterFactor-1)*float64(d)))
}
