package election

import (
	"slices"
	"time"
)

// Failure is the kind of a failed attempt.
type Failure uint8

const (
	// NoAnswer: no response header was received.
	NoAnswer Failure = iota + 1
	// Truncated: the response ended after its header, before it was useful.
	Truncated
	// Rejected: the response is a 429 or a 5xx.
	Rejected
	// A Failure of 0 is not a failure of the server.
)

const (
	// headerTimeout is how long a probe waits for a response header before another
	// member probes on a new connection.
	headerTimeout = 2 * time.Second
	// proofTime is how long a response must last, if it delivers no content, to prove
	// that the server works.
	proofTime = 500 * time.Millisecond
	// After a response, members resume within maxSpread, at most maxStagger apart.
	// After a shorter outage, they resume within the length of the outage.
	maxSpread  = 500 * time.Millisecond
	maxStagger = 5 * time.Millisecond
	// The time between two probes is random between minProbeInterval and
	// maxProbeInterval. If there are fewer than fewMembers members, it is half as long
	// again once the server has been down for slowProbesAfter.
	minProbeInterval = 400 * time.Millisecond
	maxProbeInterval = 500 * time.Millisecond
	slowProbesAfter  = 10 * time.Second
	fewMembers       = 25
	// followTimeout is how long the members that have lost a connection wait for the
	// first of them to get a response.
	followTimeout = 100 * time.Millisecond
	// A group that is down for long is probed less often: the interval is the time
	// that it has been down, divided by downtimeDivisor, up to maxGroupInterval. The
	// server as a whole is not: a refused connection takes none of its resources.
	downtimeDivisor  = 60
	maxGroupInterval = 10 * time.Second
	// maxRound is the longest time in which all groups that are down together are
	// probed once: they failed together, but may recover separately.
	maxRound = 2500 * time.Millisecond
	// maxDoublings bounds how often the timeout doubles after which a member's attempt
	// is abandoned because no other member could probe.
	maxDoublings = 4
	// onlyFailingTime is how long one member may be the only one that fails before the
	// failure counts as its own.
	onlyFailingTime = 10 * time.Second
	// maxOwnFailures is the number of members with failures of their own, without a
	// response in between, that counts as an outage.
	maxOwnFailures = 5
)

// Election is the state that the members share.
type Election struct {
	random  func() float64
	members []*Member
	server  scope
	groups  map[string]*scope
	// attempts counts all attempts, turns all probes, events all responses and
	// failures.
	attempts, turns, events uint64
	// reconnects is set if new connections can be opened.
	reconnects bool
	// generation counts the connections that were requested because the previous
	// one did not respond; connected is the newest one that a probe has used.
	generation, connected int
	// first is the member that resumes first after the loss of a connection; the
	// others wait for it until followed.
	first    *Member
	followed time.Time
}

// New returns an election without members. random returns random numbers in
// [0, 1); reconnects reports whether a probe can be sent on a new connection.
func New(random func() float64, reconnects bool) *Election {
	return &Election{random: random, reconnects: reconnects, groups: map[string]*scope{}}
}

// Join adds a member whose resource belongs to an API group.
func (e *Election) Join(group string) *Member {
	if e.groups[group] == nil {
		e.groups[group] = &scope{}
	}
	m := &Member{group: group}
	e.members = append(e.members, m)
	return m
}

// Leave removes a member. If the member was to probe, another one probes at once.
func (e *Election) Leave(m *Member, now time.Time) {
	i := slices.Index(e.members, m)
	if i < 0 {
		return
	}
	if m.probes != nil {
		m.probes.nextProbe = now
	}
	m.reset()
	e.releaseFollowers(m)
	e.members = slices.Delete(e.members, i, i+1)
	if !slices.ContainsFunc(e.members, func(other *Member) bool { return other.group == m.group }) {
		delete(e.groups, m.group)
	}
	if len(e.members) == 0 {
		e.server = scope{}
	}
}

// ServerUnavailable reports whether a member has to wait before it sends a request,
// and returns the error that is the cause.
func (e *Election) ServerUnavailable(m *Member) (cause error, unavailable bool) {
	if m.probes != nil {
		return nil, false
	}
	if s := e.blockedBy(m); s != nil {
		return s.err, true
	}
	return nil, false
}

// WaitToResume records that a member has lost its connection. Usually other members
// have lost the same connection. The first of them proceeds. WaitToResume reports
// whether m has to wait until the first gets a response or fails; m waits for
// followTimeout at most.
func (e *Election) WaitToResume(m *Member, now time.Time) (wait bool) {
	if e.blockedBy(m) != nil {
		return false
	}
	if e.first == nil || !now.Before(e.followed) {
		e.first, e.followed = m, now.Add(followTimeout)
		return false
	}
	m.reset()
	m.phase = following
	return true
}

// blockedBy returns the scope that a member waits for; nil if there is none.
func (e *Election) blockedBy(m *Member) *scope {
	switch group := e.groups[m.group]; {
	case e.server.down:
		return &e.server
	case group != nil && group.down:
		return group
	}
	return nil
}

// RequestSent records that a member sends a request.
func (e *Election) RequestSent(m *Member, now time.Time, kind Kind) {
	e.attempts++
	m.phase, m.number, m.began, m.kind = attempting, e.attempts, now, kind
	m.overdue, m.abandoned = false, false
	m.generation = e.connected
}

// ResponseReceived records the header of a response that is neither 429 nor 5xx.
func (e *Election) ResponseReceived(m *Member, now time.Time) {
	if m.phase != attempting || e.groups[m.group] == nil {
		return
	}
	e.releaseFollowers(m)
	e.events++
	group := e.groups[m.group]
	e.server.answered, group.answered = e.attempts, e.attempts
	group.lastSuccess, group.failed = e.events, 0
	m.abandons = 0
	if m.failure != Truncated {
		m.failure = 0
	}
	e.markUp(group, now)
	for _, other := range e.members {
		other.stuck = other.stuck || other.phase == attempting && other.overdue && !other.kind.SlowResponse && other.generation < m.generation
	}
	if m.failure == Truncated || e.server.down && e.server.needsProof {
		m.phase, m.deadline = answered, now.Add(proofTime)
		return
	}
	e.server.lastSuccess, e.server.failed = e.events, 0
	e.markUp(&e.server, now)
	abandoned := m.abandoned
	m.reset()
	m.abandoned = abandoned // the response cannot be read: RequestFailed will follow
}

// ContentReceived records that a response has delivered content.
func (e *Election) ContentReceived(m *Member, now time.Time) {
	if m.phase != answered {
		return
	}
	m.failure = 0
	e.events++
	e.server.proved, e.server.lastSuccess, e.server.failed = e.attempts, e.events, 0
	e.markUp(&e.server, now)
	m.reset()
}

// RequestFailed records the end of an attempt. retryAfter is the Retry-After of a
// Rejected response. RequestFailed reports whether the failure is shared with the
// scope. If it is not, because other members have succeeded in between, the member
// also needs a backoff of its own.
func (e *Election) RequestFailed(m *Member, now time.Time, kind Failure, retryAfter time.Duration, cause error) (shared bool) {
	e.releaseFollowers(m)
	s, since := &e.server, e.server.answered
	switch kind {
	case Truncated:
		since = e.server.proved
	case Rejected:
		if s = e.groups[m.group]; s != nil {
			since = s.answered
		}
	}
	abandoned, stale := m.abandoned, m.number <= since
	m.reset()
	switch {
	case kind == 0, s == nil:
		return false
	case abandoned:
		return true
	}
	e.events++
	ownFailure := !stale && m.failure != 0 && s.lastSuccess > m.failedAt
	m.failure, m.failedAt = kind, e.events
	if kind == Rejected && retryAfter > 0 {
		if until := now.Add(retryAfter); until.After(s.notBefore) {
			s.notBefore = until
		}
		e.markDown(s, now, false, cause)
		return !ownFailure
	}
	switch {
	case stale:
	case ownFailure:
		if m.counted != s.lastSuccess {
			m.counted = s.lastSuccess
			s.failed++
		}
		if s.failed >= maxOwnFailures {
			e.markDown(s, now, kind == Truncated, cause)
		}
	case s == &e.server && e.onlyFailing(m, now):
		e.markUp(s, now)
		e.events++
		s.lastSuccess, ownFailure = e.events, true
	default:
		e.markDown(s, now, kind == Truncated, cause)
	}
	return !ownFailure
}

// onlyFailing reports whether m has been the only member that fails for long, while
// the others work.
func (e *Election) onlyFailing(m *Member, now time.Time) bool {
	if !e.server.down || now.Sub(e.server.since) < onlyFailingTime {
		return false
	}
	for _, other := range e.members {
		if other != m && (other.failure != 0 || other.phase != idle) {
			return false
		}
	}
	return len(e.members) > 1
}

// Wait records that a member waits for an Action with Grant, which is not due before
// notBefore.
func (e *Election) Wait(m *Member, notBefore time.Time) {
	m.reset()
	m.phase, m.notBefore, m.releaseAt = waiting, notBefore, time.Time{}
}

// releaseFollowers ends the waiting of the members that follow m.
func (e *Election) releaseFollowers(m *Member) {
	if e.first == m {
		e.first = nil
	}
}

// markDown records that a scope is down. A lost connection is not yet an outage, so the
// server is probed at once, unless it was probed a moment ago. A group that rejects
// requests is probed later.
func (e *Election) markDown(s *scope, now time.Time, needsProof bool, cause error) {
	s.needsProof, s.err = needsProof, cause
	if s.down {
		return
	}
	s.down, s.since = true, now
	if s != &e.server && s.nextProbe.Before(now) {
		s.nextProbe = now.Add(e.interval(s, now))
	}
}

// markUp records that a scope is up: the members that waited for it resume one after
// another, and all other scopes that are down are probed at once.
func (e *Election) markUp(s *scope, now time.Time) {
	if !s.down {
		return
	}
	spread := min(maxSpread, now.Sub(s.since))
	s.clear()
	for _, other := range e.groups {
		other.probeNow = other.down
	}
	var released []*Member
	for _, m := range e.members {
		if m.phase == waiting && e.blockedBy(m) == nil {
			released = append(released, m)
		}
	}
	for i, m := range released {
		m.releaseAt = now.Add(min(maxStagger, spread/time.Duration(len(released))) * time.Duration(i))
	}
}

// probeDelay returns the time from one probe of the server, or of the groups that are
// down together, to the next.
func (e *Election) probeDelay(s *scope, now time.Time) time.Duration {
	delay := minProbeInterval + time.Duration(e.random()*float64(maxProbeInterval-minProbeInterval))
	if len(e.members) < fewMembers && now.Sub(s.since) > slowProbesAfter {
		delay += delay / 2
	}
	return delay
}

// interval returns the time from one probe of a scope to the next. Groups that went
// down together are probed in turn. A group that has been down for much longer does
// not slow down the others.
func (e *Election) interval(s *scope, now time.Time) time.Duration {
	delay := e.probeDelay(s, now)
	if s == &e.server {
		return delay
	}
	round := min(delay*time.Duration(1+len(e.downTogether(s))), maxRound)
	return max(delay, round, min(now.Sub(s.since)/downtimeDivisor, maxGroupInterval))
}

// downTogether returns the other groups that went down at about the same time.
func (e *Election) downTogether(s *scope) (others []*scope) {
	for _, group := range e.groups {
		if group != s && group.down && group.since.Sub(s.since).Abs() <= maxProbeInterval*downtimeDivisor {
			others = append(others, group)
		}
	}
	return others
}
