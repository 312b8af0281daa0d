package reflector

import "time"

// A machine is what decides in a reflector: what to ask of the source next,
// what becomes of each thing that comes, how long to wait. It knows no
// objects, no clock, no goroutine and no chance: times and dice come in with
// the inputs, and equal inputs have equal outcomes. The reflector around it
// does what it says.
type machine struct {
	name       string
	preferList bool
	backoff    Backoff

	stage stage
	// after is where waiting leads to: opening, checking, or starting for
	// everything to be read again.
	after stage

	// version is the newest that the store has been told, before the one that
	// it had been told before that.
	version, before string
	epoch           int
	// doubted: an initial state was older than version, and was not believed.
	// The next one that is older begins an epoch.
	doubted bool
	// distrusts: the source may have been set back since the store was filled,
	// so that one version stands for two states of an object.
	distrusts bool
	// filled: the store has had an initial state.
	filled bool

	// initial is what is known of the initial state under way.
	initial initial
	// mode is how the initial state is had, or was; modeReason why not streamed.
	mode       Mode
	modeReason string
	// trouble is why it cannot be streamed from this source, as far as known.
	trouble string
	// suspicion becomes trouble if the list that is read in place of a stream
	// fares better; "" if there is none.
	suspicion string
	// brokenStreams counts the streams in a row that broke off before their
	// mark.
	brokenStreams int

	// opened is when the watch that is open was; zero while none is.
	opened time.Time
	// suspect: the source may have been set back since it was last heard of, so
	// that it does not know version any more.
	suspect bool
	// heard is when the source last said something that only a source says that
	// has version.
	heard time.Time
	// unanswered counts the times in a row that the source was asked whether it
	// has version, and did not say.
	unanswered int
	// stuck counts the watches in a row that failed at version stuckAt for a
	// reason that a new one will not mend.
	stuck   int
	stuckAt string

	failures failures

	relists      int
	relistReason string
	undecodable  uint64
	lastEvent    time.Time
	lastBookmark time.Time
}

// stage is where the machine is. These are all there are.
type stage uint8

const (
	// idle and stopped wait for start.
	idle stage = iota
	// starting is a way through, to streaming or to listing: the machine does
	// not rest there, it is only where waiting may lead to.
	starting
	// streaming: a watch brings the initial state, or is being opened to.
	streaming
	// listing: a list brings the initial state.
	listing
	// checking: the source is asked whether it still has version.
	checking
	// opening: a watch is being opened at version.
	opening
	// watching: a watch is open and in order.
	watching
	// waiting: until failures.retryAt, then after.
	waiting
	stopped
)

var stageNames = [...]string{"idle", "starting", "streaming", "listing", "checking", "opening", "watching", "waiting", "stopped"}

func (s stage) String() string { return stageNames[s] }

// initial is what is known of an initial state that is being read.
type initial struct {
	// since is when the source began to stream it.
	since time.Time
	// held is set once something has come that is no part of it: from there on
	// everything up to the mark is held back until the store has the rest.
	held bool
	// heldSince is when that was.
	heldSince time.Time
	// newest is the newest version of an item; "" if there is none, or versions
	// do not compare.
	newest   string
	unknowns bool
	// ended: it has come whole. version is what it stands at.
	ended   bool
	version string
}

// step takes in what has happened and says what is to be done. What the machine
// waits for afterwards, its stage tells.
func (m *machine) step(in input) outcome {
	out := outcome{}
	switch {
	case in.kind == stop:
		m.to(stopped)
	case !m.expects(in.kind):
		out.refused = true
	default:
		m.take(in, &out)
	}
	out.stage = m.stage
	return out
}

// expects says which inputs have a meaning in which stage. The reflector gives
// no others.
func (m *machine) expects(kind inputKind) bool {
	switch m.stage {
	case idle, stopped:
		return kind == start
	case streaming:
		if m.initial.ended {
			return kind == replaced || kind == failed
		}
		return kind == answered || kind == event || kind == skipped || kind == ended || kind == silent || kind == failed
	case listing:
		if m.initial.ended {
			return kind == replaced || kind == failed
		}
		return kind == listed || kind == skipped || kind == failed
	case checking:
		return kind == checked || kind == failed
	case opening:
		return kind == answered || kind == failed
	case watching:
		return kind == event || kind == skipped || kind == ended || kind == silent || kind == failed
	case waiting:
		return kind == due
	}
	return false
}

func (m *machine) take(in input, out *outcome) {
	switch in.kind {
	case start:
		m.start(in)
	case due:
		if m.after == starting {
			m.read(in.trouble)
		} else {
			m.to(m.after)
		}
	case checked:
		m.suspect, m.heard, m.unanswered = false, in.at, 0
		m.to(opening)
	case answered:
		if m.stage == opening {
			m.watch(in.at)
		} else {
			m.initial.since = in.at
		}
	case event:
		if m.stage == streaming {
			m.streamed(in, out)
		} else {
			m.follow(in, out)
		}
	case skipped:
		m.skip(in, out)
	case listed:
		m.end(in, out)
	case replaced:
		m.replaced(in.at, out)
	case ended:
		if m.stage == streaming {
			m.endedEarly(in, out)
		} else {
			m.endedWatch(in, out)
		}
	case silent:
		if m.stage == streaming {
			m.fallBack(in.because(NoInitialEnd, errNoMark), true, out)
		} else {
			m.fellSilent(in, out)
		}
	case failed:
		m.fail(in, out)
	}
}

// to enters a stage.
func (m *machine) to(s stage) {
	m.stage = s
	if s != watching {
		m.opened = time.Time{}
	}
}

func (m *machine) start(in input) {
	if m.filled {
		m.relists++
		m.relistReason = "started again"
	}
	m.read(in.trouble)
}

// fail sorts a failure by what was going on.
func (m *machine) fail(in input, out *outcome) {
	switch m.stage {
	case streaming:
		m.failedStream(in, out)
	case listing:
		m.again(in, "list", starting, out)
	default:
		m.failedWatch(in, out)
	}
}

// again waits before the next attempt, which begins at after.
func (m *machine) again(in input, verb string, after stage, out *outcome) {
	m.report(in, verb, out)
	m.failures.wait(in, m.backoff)
	m.after = after
	m.to(waiting)
}

// report makes an error of a failure.
func (m *machine) report(in input, verb string, out *outcome) {
	err := &Error{Name: m.name, Verb: verb, Reason: in.failure.reason, Err: in.failure.err}
	if verb == "watch" && m.stage != streaming {
		err.Version = m.version
	}
	out.report = err
	m.failures.note(err, in.at)
}
