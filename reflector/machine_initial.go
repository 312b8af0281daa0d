package reflector

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/resourceversion"
)

const (
	// initialEventsTimeout is how long a stream may deliver nothing before its
	// final bookmark, and how long it may deliver changes before that bookmark.
	initialEventsTimeout = 30 * time.Second
	// maxStreamTime is how long a stream may deliver objects before its final
	// bookmark. A source that does not know of the bookmark may deliver new
	// objects without end, each as if it belonged to the initial state. A server
	// ends a stream at about that age.
	maxStreamTime = 5 * time.Minute
	// maxBrokenStreams is how many streams in a row may break off before their
	// final bookmark until streaming is disabled permanently. One may be an
	// accident; two suggest a proxy that cannot carry streams.
	maxBrokenStreams = 2
)

const preferListReason = "PreferList is set"

var (
	errEndedEarly         = errors.New("the stream ended before the bookmark that ends the initial events")
	errNoInitialEventsEnd = fmt.Errorf("the bookmark that ends the initial events was not received within %v", initialEventsTimeout)
	errLongStream         = fmt.Errorf("the stream of the initial events had not ended after %v", maxStreamTime)
	errOtherBookmark      = errors.New("received a bookmark that does not end the initial events: the source does not stream the initial state")
	errOlderState         = errors.New("the initial state is older than the stored state")
	errOlderEvent         = errors.New("the event is older than the stored state")
	errUnknownType        = errors.New("unknown event type")
)

// readInitial begins to read the whole state, by a stream or a list.
func (m *machine) readInitial(listReason string) {
	f := &m.fallback
	f.listReason, f.suspectedReason = listReason, ""
	m.initial = initial{}
	switch {
	case m.preferList:
		m.startList(preferListReason)
	case listReason != "":
		m.startList(listReason)
	case f.nextListReason != "":
		f.suspectedReason = f.nextSuspectedReason
		m.startList(f.nextListReason)
	default:
		f.mode, f.reason = ModeWatchList, ""
		m.to(stageStreaming)
	}
	f.nextListReason, f.nextSuspectedReason = "", ""
}

func (m *machine) startList(reason string) {
	m.fallback.mode, m.fallback.reason = ModeList, reason
	m.initial = initial{}
	m.to(stageListing)
}

// initialEvent decides on an event of a stream up to its final bookmark.
func (m *machine) initialEvent(in input, out *outcome) {
	m.noteReceived(in)
	if m.initial.holding && in.at.Sub(m.initial.holdingSince) > initialEventsTimeout {
		m.fallBackToList(in.withFailure(ReasonNoInitialEventsEnd, errNoInitialEventsEnd), true, out)
		return
	}
	if !m.initial.openedAt.IsZero() && in.at.Sub(m.initial.openedAt) > maxStreamTime && !in.initialEventsEnd {
		m.fallBackToList(in.withFailure(ReasonNoInitialEventsEnd, errLongStream), true, out)
		return
	}
	switch in.eventType {
	case watch.Bookmark:
		if !in.initialEventsEnd {
			m.fallBackToList(in.withFailure(ReasonNoInitialEventsEnd, errOtherBookmark), true, out)
			return
		}
		m.endInitial(in, "watch", out)
	case watch.Added:
		if m.initial.holding {
			out.verdict = verdictHold
			return
		}
		out.verdict = verdictPass
		m.noteItemVersion(in.version)
	case watch.Modified, watch.Deleted:
		m.hold(in.at, out)
	default:
		m.fallBackToList(in.withFailure(ReasonUndecodable, fmt.Errorf("%w: %q", errUnknownType, in.eventType)), false, out)
	}
}

// hold holds an event until the store has the initial state.
func (m *machine) hold(at time.Time, out *outcome) {
	if !m.initial.holding {
		m.initial.holding, m.initial.holdingSince = true, at
	}
	out.verdict = verdictHold
}

// noteItemVersion records the version of an item.
func (m *machine) noteItemVersion(version string) {
	order, ok := resourceversion.Compare(version, m.initial.newestVersion)
	switch {
	case m.initial.incomparable:
	case m.initial.newestVersion == "" && resourceversion.HasOrder(version):
		m.initial.newestVersion = version
	case !ok:
		m.initial.newestVersion, m.initial.incomparable = "", true
	case order > 0:
		m.initial.newestVersion = version
	}
}

// endInitial decides on a complete initial state. A state that is older than the
// stored one may come from a server that lags behind: it is accepted only if a
// second read is older as well.
func (m *machine) endInitial(in input, verb string, out *outcome) {
	if m.isOlder(in.version) && !m.setBack.olderStateSeen {
		m.setBack = setBack{olderStateSeen: true, versionsReused: true}
		err := fmt.Errorf("%w: version %s after version %s", errOlderState, in.version, m.stored.version)
		m.retryAfterWait(in.withFailure(ReasonVersionWentBack, err), verb, stageStarting, out)
		return
	}
	m.initial.complete, m.initial.version = true, in.version
	if m.stage == stageStreaming {
		m.order.watchOpened()
		m.order.observe(in)
	}
	out.verdict = verdictInitialEnd
}

// isOlder reports whether an initial state is older than the stored one.
func (m *machine) isOlder(version string) bool {
	order, ok := resourceversion.Compare(version, m.stored.version)
	return m.order.isOrdered() && ok && order < 0
}

// replaceVersion returns the version that the store receives with the initial
// state. If events are held, the state has not yet reached the version of the
// bookmark.
func (m *machine) replaceVersion() string {
	if m.initial.holding {
		return m.initial.newestVersion
	}
	return m.initial.version
}

// replaced records that the store has received the initial state.
func (m *machine) replaced(at time.Time) {
	epoch := m.stored.epoch
	if m.isOlder(m.initial.version) {
		epoch++
	}
	m.stored = stored{version: m.initial.version, previousVersion: m.initial.version, epoch: epoch, hasInitialState: true}
	m.setBack = setBack{}
	m.past.failuresAtVersion, m.past.errorEvents = 0, 0
	m.check = versionCheck{verifiedAt: at}
}

// streamFailed decides whether to try a list instead.
func (m *machine) streamFailed(in input, out *outcome) {
	answered := !m.initial.openedAt.IsZero()
	switch reason := in.failure.reason; {
	case reason == ReasonRefused, reason == ReasonNoInitialEventsEnd:
		m.fallBackToList(in, true, out)
	case reason == ReasonExpired, reason == ReasonTooLargeVersion:
		m.fallBackToList(in, false, out)
	case in.failure.connectionLost() && !answered:
		m.retryAfterWait(in, "watch", stageStarting, out)
	case reason == ReasonTimeout, reason == ReasonServerError:
		// The server may be able to serve a list. It is requested after the wait,
		// so that a failing server receives one request per wait.
		m.fallback.nextListReason = firstLine(in.failure.err.Error())
		m.retryAfterWait(in, "watch", stageStarting, out)
	case reason == ReasonInterrupted, reason == ReasonUndecodable, reason == ReasonOther:
		m.streamBroke(in, out)
	default:
		m.retryAfterWait(in, "watch", stageStarting, out)
	}
}

// streamBroke handles a stream that broke off or could not be decoded. The first
// time a list is tried immediately; after other failures it is tried after the
// wait.
func (m *machine) streamBroke(in input, out *outcome) {
	m.fallback.brokenStreams++
	forGood := m.fallback.brokenStreams >= maxBrokenStreams
	if m.failures.count == 0 {
		m.fallBackToList(in, forGood, out)
		return
	}
	m.fallback.nextListReason = firstLine(in.failure.err.Error())
	if forGood {
		m.fallback.nextSuspectedReason = m.fallback.nextListReason
	}
	m.retryAfterWait(in, "watch", stageStarting, out)
}

// fallBackToList lists immediately, for this time or permanently. A remembered
// reason also affects other reflectors. If the cause may be something other than
// streaming, such as a selector or the connection, it is remembered only after
// the list has succeeded.
func (m *machine) fallBackToList(in input, forGood bool, out *outcome) {
	m.report(in, "watch", out)
	reason := firstLine(out.report.Err.Error())
	switch {
	case !forGood:
	case in.failure.reason == ReasonNoInitialEventsEnd && in.kind != inputIdle:
		m.remember(reason, out)
	default:
		m.fallback.suspectedReason = reason
	}
	m.startList(reason)
}

// remember records that the source cannot stream its initial state.
func (m *machine) remember(reason string, out *outcome) {
	m.fallback.listReason, m.fallback.suspectedReason = reason, ""
	out.remember = reason
}

// reportUndecodable reports an object that could not be decoded. It affects only
// that object, unless the store would remain wrong without it.
func (m *machine) reportUndecodable(in input, verb string, out *outcome) {
	m.progress.undecodable++
	out.report = &Error{Name: m.name, Verb: verb, Reason: ReasonUndecodable, Err: in.failure.err}
}

// skipInitialEvent decides on an event of a stream whose object could not be
// decoded.
func (m *machine) skipInitialEvent(in input, out *outcome) {
	m.reportUndecodable(in, "watch", out)
	m.noteReceived(in)
	if in.storeWrong { // a list does not contain the deleted object
		m.fallBackToList(in, false, out)
		return
	}
	// An item may be replaced by the known object. A change can only be ordered
	// after the initial state is complete.
	if m.initial.holding || in.eventType != watch.Added {
		m.hold(in.at, out)
		return
	}
	out.verdict = verdictPass
	m.noteItemVersion(in.version)
}
