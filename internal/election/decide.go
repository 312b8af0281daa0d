package election

import (
	"maps"
	"slices"
	"sort"
	"time"
)

// Action is something that the caller has to do for a member.
type Action struct {
	Member *Member
	// Grant: the member may proceed. Otherwise its attempt has to be abandoned: the
	// attempt ends without a response.
	Grant bool
	// Probe: the others wait for the result of the member's next attempt. Fresh: the
	// attempt has to use a new connection.
	Probe, Fresh bool
}

// decision is the state of one call of Decide.
type decision struct {
	*Election
	now     time.Time
	actions []Action
	next    time.Time
}

// Decide returns the actions that are due, and when to call Decide again even if
// nothing else happens; the zero time means never.
func (e *Election) Decide(now time.Time) (actions []Action, next time.Time) {
	d := &decision{Election: e, now: now}
	d.checkDeadlines()
	d.releaseWaiting()
	if e.server.down {
		d.probe(&e.server)
	} else {
		for _, group := range e.groupsByDue() {
			d.probe(group)
		}
	}
	return d.actions, d.next
}

// groupsByDue returns the groups, ordered by the time of their next probe.
func (e *Election) groupsByDue() (groups []*scope) {
	names := slices.Collect(maps.Keys(e.groups))
	// sort.Slice, because slices.SortFunc links a copy of its algorithm for each type.
	sort.Slice(names, func(i, j int) bool {
		a, b := e.groups[names[i]], e.groups[names[j]]
		order := a.nextProbe.Compare(b.nextProbe)
		return order < 0 || order == 0 && names[i] < names[j]
	})
	for _, name := range names {
		groups = append(groups, e.groups[name])
	}
	return groups
}

// callAt requests another call of Decide.
func (d *decision) callAt(t time.Time) {
	if d.next.IsZero() || t.Before(d.next) {
		d.next = t
	}
}

// checkDeadlines handles the deadlines of members that are not waiting.
func (d *decision) checkDeadlines() {
	for _, m := range d.members {
		switch m.phase {
		case answered:
			if d.now.Before(m.deadline) {
				d.callAt(m.deadline)
			} else {
				d.ContentReceived(m, d.now)
			}
		case granted:
			if m.probes == nil {
				break
			}
			if d.now.Before(m.deadline) {
				d.callAt(m.deadline)
			} else {
				m.probes.nextProbe = d.now
				m.endProbe()
			}
		case attempting:
			d.checkAttempt(m)
		}
	}
}

// checkAttempt handles a request that has no response header yet.
func (d *decision) checkAttempt(m *Member) {
	if m.stuck && !m.abandoned {
		end := m.began.Add(headerTimeout)
		if !d.now.Before(end) {
			d.abandon(m)
			return
		}
		d.callAt(end)
	}
	blocking := d.blockedBy(m)
	if m.overdue || m.probes == nil && !m.kind.Reconnect && blocking == nil {
		return
	}
	if deadline := m.began.Add(headerTimeout); d.now.Before(deadline) {
		d.callAt(deadline)
		return
	}
	m.overdue = true
	m.endProbe()
	switch {
	case blocking != nil:
		blocking.nextProbe = d.now
	case m.number <= d.server.answered:
		return // other members have got responses since: only this request is slow
	default:
		d.markDown(&d.server, d.now, false, ErrNoHeader)
		d.server.nextProbe = d.now
	}
	if d.reconnects && m.generation == d.generation {
		d.generation++
	}
}

// releaseWaiting lets the members proceed that no longer have to wait.
func (d *decision) releaseWaiting() {
	for _, m := range d.members {
		if m.phase == following {
			if d.first != nil && d.now.Before(d.followed) {
				d.callAt(d.followed)
				continue
			}
			m.phase = idle
			d.actions = append(d.actions, Action{Member: m, Grant: true})
		}
		if m.phase != waiting {
			continue
		}
		if d.blockedBy(m) != nil {
			m.releaseAt = time.Time{}
			continue
		}
		if due := later(m.releaseAt, m.notBefore); d.now.Before(due) {
			d.callAt(due)
			continue
		}
		m.phase = idle
		d.actions = append(d.actions, Action{Member: m, Grant: true})
	}
}

// probe lets one member probe a scope that is down, if a probe is due.
func (d *decision) probe(s *scope) {
	if !s.down || s.prober != nil {
		return
	}
	due := s.nextProbe
	if s.probeNow {
		due = d.now
	}
	m, ready := d.candidate(s)
	if m == nil {
		d.abandonForProbe(s, due)
		return
	}
	if due = later(due, ready); d.now.Before(due) {
		d.callAt(due)
		return
	}
	fresh := d.generation > d.connected
	d.connected = d.generation
	d.turns++
	m.phase, m.probes, m.turn, m.deadline = granted, s, d.turns, d.now.Add(headerTimeout)
	s.prober, s.probeNow = m, false
	s.nextProbe = d.now.Add(d.interval(s, d.now))
	if s != &d.server {
		others := d.downTogether(s)
		next := d.now.Add(min(d.probeDelay(s, d.now), maxRound/time.Duration(1+len(others))))
		for _, other := range others {
			other.nextProbe = later(other.nextProbe, next)
		}
	}
	d.callAt(m.deadline)
	d.actions = append(d.actions, Action{Member: m, Grant: true, Probe: true, Fresh: fresh})
}

// candidate returns the member that probes a scope next, and the earliest time of
// that probe. If several members may probe now, the member with the oldest last
// probe is the candidate. candidate returns nil if no member waits.
func (d *decision) candidate(s *scope) (best *Member, ready time.Time) {
	for _, m := range d.members {
		if m.phase != waiting || d.blockedBy(m) != s {
			continue
		}
		earliest := m.notBefore
		if group := d.groups[m.group]; group.down {
			earliest = later(earliest, group.notBefore)
		}
		earliest = later(earliest, d.now)
		if best == nil || earliest.Before(ready) || earliest.Equal(ready) && m.turn < best.turn {
			best, ready = m, earliest
		}
	}
	return best, ready
}

// abandonForProbe abandons an attempt without a response header if no waiting member
// could probe. The member can then probe on a new connection. Each time, the timeout
// of the member's attempts doubles, as the server may be slow.
func (d *decision) abandonForProbe(s *scope, due time.Time) {
	var best *Member
	var ready time.Time
	for _, m := range d.members {
		if m.phase != attempting || d.blockedBy(m) != s || m.kind.SlowResponse || !m.overdue {
			continue
		}
		if m.abandoned {
			return // an attempt is being abandoned
		}
		if m.abandons > maxDoublings {
			continue
		}
		timeout := m.began.Add(headerTimeout << m.abandons)
		if best == nil || timeout.Before(ready) {
			best, ready = m, timeout
		}
	}
	if best == nil {
		return
	}
	if due = later(due, ready); d.now.Before(due) {
		d.callAt(due)
		return
	}
	d.abandon(best)
}

func (d *decision) abandon(m *Member) {
	m.abandoned, m.abandons = true, m.abandons+1
	d.actions = append(d.actions, Action{Member: m})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
