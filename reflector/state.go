package reflector

import (
	"strconv"
	"sync/atomic"
	"time"
)

// State describes what a reflector is doing. It is a copy; getting it takes no
// lock.
type State struct {
	Name  string
	Phase Phase
	// Mode is how the initial state is read. ModeReason is why it is listed
	// instead of streamed.
	Mode       Mode
	ModeReason string
	// Version is the newest version that the store has received. Epoch counts
	// how often the versions of the server have gone back, starting at 0.
	// Versions of different epochs cannot be compared.
	Version string
	Epoch   int
	// Unordered is why versions are not compared, "" if they are: see
	// [listwatch.VersionOrder]. While they are not compared, Epoch does not
	// change.
	Unordered string
	// LastEvent and LastBookmark are the times at which the source last sent an
	// event or a bookmark in a watch.
	LastEvent, LastBookmark time.Time
	// Relists counts how often the whole state was read again after the first
	// time. RelistReason is the reason for the last relist.
	Relists      int
	RelistReason string
	// Err is the last failure since the source was last healthy, nil if there
	// was none. Since is the time of the first of these failures, and Failures
	// is their number. RetryAt, set while the phase is PhaseWaiting, is the time
	// of the next attempt, of this reflector or of one that shares the server
	// with it; zero while the reflector waits until the resource is served. The
	// source is healthy again when watches have been open for ten seconds.
	Err      error
	Since    time.Time
	Failures int
	RetryAt  time.Time
	// Recovering is true if watches have been open since the failure Err, for less than
	// ten seconds. If Err is not nil and Recovering is false, the source fails now.
	Recovering bool
	// Undecodable counts the objects that were skipped because they could not be
	// decoded.
	Undecodable uint64
	// ListUndecodable is the number of objects of the last initial state that
	// could not be decoded and have since been neither decoded nor deleted. The
	// store has no state or an older state of them. ListErr is the error of the
	// first of them, an [*listwatch.ItemError] if the source has identified the
	// object, and nil if there are none.
	ListUndecodable int
	ListErr         error
}

// Phase is the current activity of a reflector.
type Phase string

const (
	// PhaseIdle: Run has not been called.
	PhaseIdle Phase = "idle"
	// PhaseStreaming: a watch delivers the initial state.
	PhaseStreaming Phase = "streaming"
	// PhaseListing: a list delivers the initial state.
	PhaseListing Phase = "listing"
	// PhaseWatching: a watch keeps the store up to date.
	PhaseWatching Phase = "watching"
	// PhaseWaiting: the reflector waits until RetryAt for its next attempt.
	PhaseWaiting Phase = "waiting"
	// PhaseStopped: Run has returned.
	PhaseStopped Phase = "stopped"
)

// phaseOf maps a stage of the machine to its public phase.
var phaseOf = [...]Phase{stageIdle: PhaseIdle, stageStarting: PhaseListing, stageStreaming: PhaseStreaming, stageListing: PhaseListing, stageChecking: PhaseWatching, stageOpening: PhaseWatching, stageWatching: PhaseWatching, stageWaiting: PhaseWaiting, stageStopped: PhaseStopped}

// Mode is how a reflector reads the initial state.
type Mode string

const (
	// ModeWatchList streams the initial state in the watch that then continues.
	ModeWatchList Mode = "watch-list"
	// ModeList lists the initial state and opens a watch afterwards.
	ModeList Mode = "list"
)

// publishedState makes the state readable without a lock. One goroutine writes.
// The fields that change with every event are separate, so that publishing them
// does not allocate.
type publishedState struct {
	// state has all of State except the fields below.
	state atomic.Pointer[stateSnapshot]
	// number is the version if it is a number. Otherwise it is 0 and text has
	// the version.
	number atomic.Uint64
	text   atomic.Pointer[string]
	// In nanoseconds since 1970, 0 for never.
	lastEvent, lastBookmark atomic.Int64
	undecodable             atomic.Uint64
	// missing is nil while the store has all objects of its last initial state.
	missing atomic.Pointer[missingObjects]
	// hasInitialState is set once the store has received an initial state.
	hasInitialState atomic.Bool
}

// missingObjects describes the objects of the last initial state that the store
// does not have.
type missingObjects struct {
	count int
	first error
}

type stateSnapshot struct {
	state State
	// healthyAt is the time at which the failures are forgotten; zero if that is
	// not known yet.
	healthyAt time.Time
	// untilServed: the next attempt may be later than state.RetryAt.
	untilServed bool
}

// publish stores the state of a machine.
func (p *publishedState) publish(m *machine) {
	p.publishProgress(m)
	p.hasInitialState.Store(m.stored.hasInitialState)
	f := &m.failures
	s := State{
		Name: m.name, Phase: phaseOf[m.stage],
		Mode: m.fallback.mode, ModeReason: m.fallback.reason,
		Epoch: m.stored.epoch, Unordered: m.order.unorderedReason(),
		Relists: m.progress.relists, RelistReason: m.progress.relistReason,
		Err: f.err, Since: f.since, Failures: f.count, Recovering: f.err != nil && !f.healthySince.IsZero(),
	}
	if m.stage == stageWaiting {
		s.RetryAt = m.pause.retryAt
	}
	p.state.Store(&stateSnapshot{state: s, healthyAt: f.healthyAt(), untilServed: m.stage == stageWaiting && m.pause.untilServed})
}

// publishProgress stores the fields that change with every event.
func (p *publishedState) publishProgress(m *machine) {
	p.lastEvent.Store(nanoseconds(m.progress.lastEvent))
	p.lastBookmark.Store(nanoseconds(m.progress.lastBookmark))
	p.undecodable.Store(m.progress.undecodable)
	n, ok := numberOf(m.stored.version)
	if current := p.text.Load(); !ok && (current == nil || *current != m.stored.version) {
		text := m.stored.version
		p.text.Store(&text)
	}
	p.number.Store(n)
}

// publishMissing stores which objects the store does not have.
func (p *publishedState) publishMissing(u *undecoded) {
	if u.count() == 0 {
		p.missing.Store(nil)
		return
	}
	p.missing.Store(&missingObjects{u.count(), u.first})
}

// numberOf returns a version as a number. ok is false if formatting the number
// would not give the same string.
func numberOf(version string) (n uint64, ok bool) {
	if len(version) == 0 || len(version) > 19 || version[0] == '0' {
		return 0, false
	}
	for _, digit := range []byte(version) {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		n = 10*n + uint64(digit-'0')
	}
	return n, true
}

func (p *publishedState) version() string {
	if n := p.number.Load(); n != 0 {
		return strconv.FormatUint(n, 10)
	}
	if text := p.text.Load(); text != nil {
		return *text
	}
	return ""
}

// snapshot returns the published state as of the given time.
func (p *publishedState) snapshot(at time.Time) State {
	current := p.state.Load()
	s := current.state
	s.Version = p.version()
	s.LastEvent, s.LastBookmark = timeOf(p.lastEvent.Load()), timeOf(p.lastBookmark.Load())
	s.Undecodable = p.undecodable.Load()
	if m := p.missing.Load(); m != nil {
		s.ListUndecodable, s.ListErr = m.count, m.first
	}
	if !current.healthyAt.IsZero() && !at.Before(current.healthyAt) {
		s.Err, s.Since, s.Failures, s.Recovering = nil, time.Time{}, 0, false
	}
	if current.untilServed && !at.Before(s.RetryAt) {
		s.RetryAt = time.Time{}
	}
	return s
}

func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func timeOf(nanoseconds int64) time.Time {
	if nanoseconds == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanoseconds)
}
