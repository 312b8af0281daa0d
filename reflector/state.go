package reflector

import (
	"strconv"
	"sync/atomic"
	"time"
)

// State is what a reflector is doing and how it fares. It is a copy; taking it
// costs no lock.
type State struct {
	Name  string
	Phase Phase
	// Mode is how the initial state is had, ModeReason why it is not streamed.
	Mode       Mode
	ModeReason string
	// Version is the newest that the store has been told. Epoch counts how
	// often the server's versions have gone back, from 0: versions of different
	// epochs do not compare.
	Version string
	Epoch   int
	// LastEvent and LastBookmark are when the source last said something in a
	// watch.
	LastEvent, LastBookmark time.Time
	// Relists counts how often everything had to be read again, after the first
	// time; RelistReason is why it was last.
	Relists      int
	RelistReason string
	// Err is the last failure since the source was last in order, nil if there
	// was none; Since is when the first of these failures was, Failures how
	// many there were, and RetryAt, while Waiting, when the next attempt is
	// due. The source is in order again when a watch has been open for ten
	// seconds, or for as long as the last wait if that was longer.
	Err      error
	Since    time.Time
	Failures int
	RetryAt  time.Time
	// Undecodable counts the objects that were left out because they could not
	// be decoded.
	Undecodable uint64
}

// Phase is what a reflector is doing.
type Phase string

const (
	// Idle: Run has not been called.
	Idle Phase = "idle"
	// Streaming: the initial state arrives in a watch.
	Streaming Phase = "streaming"
	// Listing: the initial state arrives in a list.
	Listing Phase = "listing"
	// Watching: the store is kept up to date.
	Watching Phase = "watching"
	// Waiting: the next attempt is at RetryAt.
	Waiting Phase = "waiting"
	// Stopped: Run has returned.
	Stopped Phase = "stopped"
)

// phaseOf is a stage as users see it.
var phaseOf = [...]Phase{idle: Idle, starting: Listing, streaming: Streaming, listing: Listing, checking: Watching, opening: Watching, watching: Watching, waiting: Waiting, stopped: Stopped}

// Mode is how the initial state is had.
type Mode string

const (
	// WatchList: in the watch that then goes on.
	WatchList Mode = "watch-list"
	// List: in a list, after which a watch is opened.
	List Mode = "list"
)

// board is where the state is written up for those who ask. One goroutine
// writes; what changes with every event is apart, so that it costs no
// allocation.
type board struct {
	// rest is all of the state but the fields below.
	rest atomic.Pointer[notice]
	// number is the version, where that is a number; else it is 0 and text has
	// it.
	number atomic.Uint64
	text   atomic.Pointer[string]
	// In nanoseconds since 1970, 0 for never.
	lastEvent, lastBookmark atomic.Int64
	undecodable             atomic.Uint64
	// filled: the store has had an initial state.
	filled atomic.Bool
}

type notice struct {
	state State
	// provenAt is when the failures will be forgotten; zero for not yet.
	provenAt time.Time
}

// write puts up the state of a machine.
func (b *board) write(m *machine) {
	b.progress(m)
	b.filled.Store(m.filled)
	f := &m.failures
	s := State{
		Name: m.name, Phase: phaseOf[m.stage],
		Mode: m.mode, ModeReason: m.modeReason,
		Epoch:   m.epoch,
		Relists: m.relists, RelistReason: m.relistReason,
		Err: f.err, Since: f.since, Failures: f.count,
	}
	if m.stage == waiting {
		s.RetryAt = f.retryAt
	}
	b.rest.Store(&notice{state: s, provenAt: f.provenAt})
}

// progress puts up what changes with every event.
func (b *board) progress(m *machine) {
	b.lastEvent.Store(nanoseconds(m.lastEvent))
	b.lastBookmark.Store(nanoseconds(m.lastBookmark))
	b.undecodable.Store(m.undecodable)
	n, ok := numberOf(m.version)
	if up := b.text.Load(); !ok && (up == nil || *up != m.version) {
		text := m.version
		b.text.Store(&text)
	}
	b.number.Store(n)
}

// numberOf is a version as a number that is written just like it.
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

func (b *board) version() string {
	if n := b.number.Load(); n != 0 {
		return strconv.FormatUint(n, 10)
	}
	if text := b.text.Load(); text != nil {
		return *text
	}
	return ""
}

// read is what is written up, as it is at a moment.
func (b *board) read(at time.Time) State {
	up := b.rest.Load()
	s := up.state
	s.Version = b.version()
	s.LastEvent, s.LastBookmark = timeOf(b.lastEvent.Load()), timeOf(b.lastBookmark.Load())
	s.Undecodable = b.undecodable.Load()
	if !up.provenAt.IsZero() && !at.Before(up.provenAt) {
		s.Err, s.Since, s.Failures = nil, time.Time{}, 0
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
