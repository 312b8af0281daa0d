package reflector

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

const (
	// markPatience is how long a stream may bring nothing before its mark has
	// come, and how long it may bring changes before that.
	markPatience = 30 * time.Second
	// streamMost is how long a stream may bring objects before its mark. A source
	// that does not know of marks may bring new ones for ever, each as if it were
	// one of the initial state. A server ends a stream at about that age.
	streamMost = 5 * time.Minute
	// brokenStreamsMost is how many streams in a row break off before their mark
	// until streaming is given up for good. One may be an accident; two may be
	// something on the way that cannot carry them.
	brokenStreamsMost = 2
)

const preferred = "PreferList is set"

var (
	errEndedEarly  = errors.New("the stream ended before the mark of the initial state's end")
	errNoMark      = fmt.Errorf("the mark of the initial state's end did not come within %v", markPatience)
	errLongStream  = fmt.Errorf("the mark of the initial state's end had not come after %v", streamMost)
	errOtherMark   = errors.New("a bookmark came that does not mark the initial state's end: the source does not stream it")
	errOlderState  = errors.New("the initial state is older than what is known")
	errOlderEvent  = errors.New("the event is older than what is known")
	errUnknownType = errors.New("an event of an unknown type")
)

// read begins to read everything, in the way that is open.
func (m *machine) read(trouble string) {
	m.trouble, m.suspicion = trouble, ""
	m.initial = initial{}
	switch {
	case m.preferList:
		m.list(preferred)
	case m.trouble != "":
		m.list(m.trouble)
	default:
		m.mode, m.modeReason = WatchList, ""
		m.to(streaming)
	}
}

func (m *machine) list(reason string) {
	m.mode, m.modeReason = List, reason
	m.initial = initial{}
	m.to(listing)
}

// streamed judges what a stream brings before its mark, and the mark.
func (m *machine) streamed(in input, out *outcome) {
	m.seen(in)
	first := &m.initial
	if first.held && in.at.Sub(first.heldSince) > markPatience {
		m.fallBack(in.because(NoInitialEnd, errNoMark), true, out)
		return
	}
	if !first.since.IsZero() && in.at.Sub(first.since) > streamMost && !in.end {
		m.fallBack(in.because(NoInitialEnd, errLongStream), true, out)
		return
	}
	switch in.typ {
	case watch.Bookmark:
		if !in.end {
			m.fallBack(in.because(NoInitialEnd, errOtherMark), true, out)
			return
		}
		m.end(in, out)
	case watch.Added:
		out.verdict = pass
		if first.held {
			out.verdict = hold
			return
		}
		m.item(in.version)
	case watch.Modified, watch.Deleted:
		if !first.held {
			first.held, first.heldSince = true, in.at
		}
		out.verdict = hold
	default:
		m.fallBack(in.because(Undecodable, fmt.Errorf("%w: %q", errUnknownType, in.typ)), false, out)
	}
}

// item notes the version of an item.
func (m *machine) item(version string) {
	first := &m.initial
	order, ok := compare(version, first.newest)
	switch {
	case first.unknowns:
	case first.newest == "" && comparable(version):
		first.newest = version
	case !ok:
		first.newest, first.unknowns = "", true
	case order > 0:
		first.newest = version
	}
}

// end judges an initial state that has come whole. One that is older than what
// is known may come from a server that lags behind: it is not believed before
// it has been asked for again.
func (m *machine) end(in input, out *outcome) {
	if order, ok := compare(in.version, m.version); ok && order < 0 && !m.doubted {
		m.doubted, m.distrusts = true, true
		verb := "list"
		if m.stage == streaming {
			verb = "watch"
		}
		err := fmt.Errorf("%w: it is of version %s, after %s", errOlderState, in.version, m.version)
		m.again(in.because(WentBack, err), verb, starting, out)
		return
	}
	m.initial.ended, m.initial.version = true, in.version
	out.verdict = end
}

// replaceVersion is the version that the store is told with the initial state.
// Where something is held back, that is not yet the mark's.
func (m *machine) replaceVersion() string {
	if m.initial.held {
		return m.initial.newest
	}
	return m.initial.version
}

// replaced: the store has the initial state.
func (m *machine) replaced(at time.Time, out *outcome) {
	if order, ok := compare(m.initial.version, m.version); ok && order < 0 {
		m.epoch++
	}
	m.before, m.version = m.initial.version, m.initial.version
	m.doubted, m.distrusts, m.filled = false, false, true
	m.stuck, m.unanswered, m.suspect, m.heard = 0, 0, false, at
	if m.stage == streaming {
		m.brokenStreams = 0
		m.watch(at)
		return
	}
	if m.suspicion != "" {
		m.remember(m.suspicion, out)
	}
	m.to(opening)
}

// endedEarly: a stream has ended, in order, before its mark.
func (m *machine) endedEarly(in input, out *outcome) {
	m.fallBack(in.because(NoInitialEnd, errEndedEarly), true, out)
}

// failedStream decides whether a list would fare better.
func (m *machine) failedStream(in input, out *outcome) {
	if m.initial.ended { // it was the store that has failed
		m.again(in, "watch", starting, out)
		return
	}
	switch in.failure.reason {
	case Unauthorized, Forbidden, NotFound, Throttled, Unreachable, StoreFailed:
		m.again(in, "watch", starting, out)
	case Refused, NoInitialEnd:
		m.fallBack(in, true, out)
	case Timeout, ServerError, Expired, TooLarge:
		m.fallBack(in, false, out)
	default:
		m.brokenStreams++
		m.fallBack(in, m.brokenStreams >= brokenStreamsMost, out)
	}
}

// fallBack lists at once, for this time or from now on. What is remembered holds
// for others, too: so where it need not be the stream that is at fault, but may
// be what else was asked for, such as a selector, or the way to the source, it is
// remembered when the list has fared better.
func (m *machine) fallBack(in input, forGood bool, out *outcome) {
	m.report(in, "watch", out)
	reason := firstLine(out.report.Err.Error())
	switch {
	case !forGood:
	case in.failure.reason == NoInitialEnd && in.kind != silent:
		m.remember(reason, out)
	default:
		m.suspicion = reason
	}
	m.list(reason)
}

// remember that nothing is to be streamed from this source any more.
func (m *machine) remember(why string, out *outcome) {
	m.trouble, m.suspicion = why, ""
	out.remember = why
}

// skip judges what could not be decoded: it costs only itself, unless the store
// cannot be set right without it.
func (m *machine) skip(in input, out *outcome) {
	m.undecodable++
	out.report = &Error{Name: m.name, Verb: "list", Reason: Undecodable, Err: in.failure.err}
	switch m.stage {
	case listing:
		out.verdict = pass
		return
	case streaming:
		out.report.Verb = "watch"
		m.seen(in)
		if in.lost { // a list does not have it
			m.fallBack(in, false, out)
			return
		}
		// An item may keep the place of the object that is known; a change can
		// only be put in order when the initial state has come.
		out.verdict = pass
		if m.initial.held || in.typ != watch.Added {
			out.verdict = hold
			if !m.initial.held {
				m.initial.held, m.initial.heldSince = true, in.at
			}
			return
		}
		m.item(in.version)
		return
	}
	out.report.Verb, out.report.Version = "watch", m.version
	if in.lost {
		m.relist(in, out)
		return
	}
	m.follow(in, out)
	if out.verdict == pass {
		out.verdict = mark
	}
}
