package leader

import (
	"time"
)

// machine decides what a candidate or leader does next. It knows of the time
// only what it is told, and all of its times are of the own monotonic clock.
//
// Two leaders never act at once, because of three rules. The one who leads
// counts from when it began to send its last renewal that was accepted. The
// others count from when they have received a record for the first time, which
// is later. And who writes replaces the one version that it has read.
type machine struct {
	identity string
	// lasts is how long the lease is good for others, who are told whole seconds,
	// renewDeadline how long for its leader.
	lasts, renewDeadline, retryPeriod time.Duration
	// random is a number below 1, for waits.
	random func() float64

	// newest is the Lease as it was read or written last, nil if there was none.
	newest *lease
	// fresh: newest is what the server has, for all that is known.
	fresh bool
	// record is the last that was there; it stays when the Lease is deleted. seen
	// is when it came first, or when the Lease was first found to be gone; zero
	// if there never was one.
	record record
	seen   time.Time
	// looked is when the server answered last.
	looked time.Time

	// written are the records that this process has sent: the last accepted one,
	// and those after it of which nobody knows what became. A record that says
	// our identity and is not among them is another's.
	written []record
	// shown is the time that the last of them says.
	shown time.Time

	// leading: the last renewal was accepted; it was begun at renewed. Others see
	// to it that this is over renewDeadline later.
	leading bool
	renewed time.Time

	// again is when something is to be done next, failures how often in a row it
	// did not work.
	again    time.Time
	failures int
}

// step is what is to be done.
type step struct {
	do doing
	// until is how long to wait, and how long the others may take.
	until time.Time
}

type doing int

const (
	wait doing = iota
	read
	write
	nothing
)

// next is what to do now.
func (m *machine) next(now time.Time) step {
	switch {
	case now.Before(m.again):
		return step{wait, m.again}
	case !m.fresh:
		return step{read, m.patience(now)}
	case m.wants(now):
		return step{write, m.patience(now)}
	}
	// Not much later than it is free, if that is soon.
	m.fresh = false
	m.again = m.jittered(now, m.retryPeriod)
	if expires := m.expires(); expires.Before(m.again) {
		m.again = m.jittered(expires, m.retryPeriod/4)
	}
	return step{wait, m.again}
}

// nextRelease is what to do now in order to hold nothing.
func (m *machine) nextRelease(now time.Time) step {
	switch {
	case len(m.written) == 0:
		return step{do: nothing}
	case now.Before(m.again) && m.failures > 0:
		return step{wait, m.again}
	case !m.fresh:
		return step{do: read}
	case m.newest == nil || !m.isOurs():
		return step{do: nothing}
	}
	return step{do: write}
}

// patience is how long a request may take. That of a leader leaves time for
// another one, on another connection.
func (m *machine) patience(now time.Time) time.Time {
	if !m.leading {
		return now.Add(m.renewDeadline / 2)
	}
	left := m.deadline().Sub(now)
	return now.Add(min(max(left/2, m.retryPeriod), left))
}

// deadline is when a leader stops being one.
func (m *machine) deadline() time.Time { return m.renewed.Add(m.renewDeadline) }

// leads is whether this process is the leader.
func (m *machine) leads(now time.Time) bool { return m.leading && now.Before(m.deadline()) }

// expires is when the holder has had its time.
func (m *machine) expires() time.Time {
	lasts := time.Duration(m.record.seconds) * time.Second
	if lasts <= 0 || m.isGone() {
		lasts = max(lasts, m.lasts)
	}
	return m.seen.Add(lasts)
}

// wants is whether the Lease is there to be taken or renewed.
func (m *machine) wants(now time.Time) bool {
	return m.isFree(now) || m.isOurs() && (m.leading || !m.isGone())
}

func (m *machine) isFree(now time.Time) bool {
	return m.record.holder == "" && !m.isGone() || !now.Before(m.expires())
}

// isGone is whether a Lease that was there has been deleted. Who leads by then
// may be somebody whom this process has never seen: it waits as if it had seen
// a renewal. Who has never seen any Lease does not wait.
func (m *machine) isGone() bool { return m.newest == nil && !m.seen.IsZero() }

func (m *machine) isOurs() bool {
	for _, w := range m.written {
		if w == m.record {
			return true
		}
	}
	return false
}

// holding is the record that this process writes to lead, or to go on leading.
// wall is the wall clock, which others show and nobody trusts.
func (m *machine) holding(wall time.Time) record {
	r := record{
		holder: m.identity, seconds: seconds(m.lasts), transitions: m.record.transitions,
		renew: m.unlike(wall),
	}
	r.acquire = r.renew
	if m.isOurs() {
		r.acquire = m.record.acquire
	} else if m.record != (record{}) {
		r.transitions++
	}
	return r
}

// released is the record that nobody has to wait for, as client-go writes it.
func (m *machine) released(wall time.Time) record {
	now := m.unlike(wall)
	return record{seconds: 1, transitions: m.record.transitions, acquire: now, renew: now}
}

// unlike is a time that is not in an earlier record of ours, though the clock
// stands still: a renewal that changes nothing is none. Where it has been set
// back for good, it is followed.
func (m *machine) unlike(wall time.Time) string {
	if back := m.shown.Sub(wall); back >= 0 && back < time.Minute {
		wall = m.shown.Add(time.Microsecond)
	}
	m.shown = wall.Round(0).Truncate(time.Microsecond)
	return microTime(m.shown)
}

// sending is told of a record before it is sent.
func (m *machine) sending(r record) {
	const most = 64 // far more than there are attempts until a deadline
	m.written = append(m.written[max(0, len(m.written)-most):], r)
}

// has is told what the server has, nil for no Lease, as an answer that came now
// says.
func (m *machine) has(l *lease, now time.Time) {
	moved := (m.newest == nil) != (l == nil) || l != nil && l.object.GetResourceVersion() != m.newest.object.GetResourceVersion()
	m.newest, m.fresh = l, true
	m.again = now
	// Who has not looked for long does not know what there was meanwhile.
	moved = moved || l == nil && now.Sub(m.looked) > 2*m.retryPeriod
	m.looked = now
	switch {
	case l == nil && moved && !m.seen.IsZero():
		m.seen = now
	case l != nil && (l.record != m.record || m.seen.IsZero()):
		m.record, m.seen = l.record, now
	}
	if !m.wants(now) {
		// Otherwise it has only worked when the write has.
		m.failures = 0
	}
	if l == nil || m.isOurs() {
		return
	}
	m.leading = false
	if moved {
		// What was sent and is not there will not come: it was for an earlier
		// version.
		m.written = nil
	}
}

// accepted is told that the server has stored what was sent from begun on.
func (m *machine) accepted(l *lease, begun, now time.Time) {
	m.has(l, now)
	m.written, m.failures = []record{l.record}, 0
	m.renewed = begun
	// An answer that came late is worth nothing.
	m.leading = l.record.holder == m.identity && now.Before(m.deadline())
	if m.leading {
		m.again = begun.Add(m.retryPeriod)
	}
}

// refused is told that the server has something else than was replaced.
func (m *machine) refused(now time.Time) {
	m.fresh = false
	m.again = now
	// A server that says so again and again is not asked in a loop.
	if m.failures++; m.failures > 1 {
		m.again = m.jittered(now, m.backoff())
	}
}

// failed is told that nobody knows what became of a request. asked is how long
// the server wants to be left alone.
func (m *machine) failed(now time.Time, asked time.Duration) {
	m.failures++
	delay := m.backoff()
	if !m.leading {
		m.fresh = false
		delay = max(delay, min(asked, m.lasts))
	}
	m.again = m.jittered(now, delay)
}

// backoff begins with a quarter of retryPeriod.
func (m *machine) backoff() time.Duration {
	return m.retryPeriod / 4 << min(max(m.failures-1, 0), 2)
}

// lost is told that the time is over, whatever was accepted.
func (m *machine) lost() { m.leading = false }

func (m *machine) jittered(from time.Time, d time.Duration) time.Time {
	return from.Add(d + time.Duration(m.random()*(jitterFactor-1)*float64(d)))
}
