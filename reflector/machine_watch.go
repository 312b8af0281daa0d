package reflector

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/internal/resourceversion"
)

const (
	// maxQuiet is how long watches that end normally, one after another, may
	// deliver nothing before the version is checked. A server sends a bookmark
	// about once a minute.
	maxQuiet = 2 * time.Minute
	// minWatchTime is the minimum duration of a watch after which the next one
	// is opened without a wait. For a watch whose connection was lost it is
	// minBrokenWatchTime: a connection that breaks also ends its youngest watch.
	minWatchTime       = time.Second
	minBrokenWatchTime = 500 * time.Millisecond
	// maxFailuresAtVersion is how many watches in a row may fail at the same
	// version, for a reason that is not transient, until the whole state is read
	// again.
	maxFailuresAtVersion = 3
	// maxFailedChecks is how many checks of a version may fail in a row until
	// the watch is read without one: lists may fail where watches work.
	maxFailedChecks = 5
	// maxErrorEvents is how many ERROR events with a code of 500 or above may
	// end watches, with nothing delivered between them, until the whole state is
	// read again.
	maxErrorEvents = 2
)

var errNoVersion = errors.New("the source returned no resource version from which to resume the watch")

// noteReceived records the time of an event.
func (m *machine) noteReceived(in input) {
	m.check.verifiedAt = in.at
	if in.eventType == watch.Bookmark {
		m.progress.lastBookmark = in.at
		return
	}
	m.progress.lastEvent = in.at
}

// resetIfHealthy forgets the failures before the open watch, once that has been
// healthy for long enough.
func (m *machine) resetIfHealthy(at time.Time) {
	if m.failures.resetIfHealthy(at) {
		m.past.failuresAtVersion = 0
	}
}

// takeEvent decides on an event of a watch.
func (m *machine) takeEvent(in input, out *outcome) {
	m.noteReceived(in)
	m.resetIfHealthy(in.at)
	switch in.eventType {
	case watch.Added, watch.Modified, watch.Deleted:
		out.verdict = verdictPass
	case watch.Bookmark:
		out.verdict = verdictBookmark
	default:
		m.watchFailed(in.withFailure(ReasonUndecodable, fmt.Errorf("%w: %q", errUnknownType, in.eventType)), out)
		return
	}
	ordered := m.order.observe(in)
	if order, ok := resourceversion.Compare(in.version, m.stored.version); ordered && ok && order < 0 {
		out.verdict = verdictDrop
		err := fmt.Errorf("%w: version %s", errOlderEvent, in.version)
		m.relist(in.withFailure(ReasonVersionWentBack, err), out)
		return
	}
	if in.version != m.stored.version {
		m.current.delivered, m.past.lastExpired, m.past.errorEvents = true, false, 0
	}
	m.stored.previousVersion = m.stored.version
	if in.version != "" {
		m.stored.version = in.version
	} else if out.verdict == verdictBookmark {
		out.verdict = verdictDrop
	}
}

// skipEvent decides on an event of a watch whose object could not be decoded.
func (m *machine) skipEvent(in input, out *outcome) {
	m.reportUndecodable(in, "watch", out)
	out.report.Version = m.stored.version
	if in.storeWrong {
		m.relist(in, out)
		return
	}
	m.takeEvent(in, out)
	if out.verdict == verdictPass {
		out.verdict = verdictBookmark
	}
}

// watchEnded handles the normal end of a watch. Servers end watches regularly,
// and the next one is opened immediately, unless two in a row ended as soon as
// they were opened: that would be a busy loop.
func (m *machine) watchEnded(in input, out *outcome) {
	m.resetIfHealthy(in.at)
	m.past.end = endClosed
	m.check.due = m.check.due || in.at.Sub(m.check.verifiedAt) >= maxQuiet
	switch {
	case !resumable(m.stored.version):
		m.relist(in.withFailure(ReasonInterrupted, errNoVersion), out)
	case m.wasUseful(in.at, minWatchTime):
		m.to(stageOpening)
	default:
		shared, own := in.failure.sharedWait, in.failure.ownBackoff
		in = in.withFailure(ReasonInterrupted, fmt.Errorf("%w, after %v", ErrShortWatch, in.at.Sub(m.current.openedAt)))
		in.failure.sharedWait, in.failure.ownBackoff = shared, own
		if m.isFirstShortWatch(in) {
			m.retryAtOnce(in, "watch", stageOpening, out)
			return
		}
		m.retryAfterWait(in, "watch", stageOpening, out)
	}
}

// wasUseful reports whether the watch that has ended delivered something or
// lasted for the given minimum. Its end is then not a failure, whatever the
// cause.
func (m *machine) wasUseful(at time.Time, short time.Duration) bool {
	if m.current.delivered || at.Sub(m.current.openedAt) >= short {
		m.past.lastExpired, m.past.lastShort = false, false
		return true
	}
	return false
}

// isFirstShortWatch reports whether the watch that has ended is the first short
// one in a row, which may be an accident. It is not excused if other reflectors
// have the same failure, or if the user has set a Backoff, which is the minimum
// wait.
func (m *machine) isFirstShortWatch(in input) bool {
	if m.past.lastShort || in.failure.sharedWait || m.backoff != (Backoff{}) {
		return false
	}
	m.past.lastShort = true
	return true
}

// noteOutage records the failure of a request for a watch, or of a check.
func (m *machine) noteOutage(in input) {
	m.check.due, m.past.end = m.check.due || in.failure.isOutage(), notEnded
}

// mustCheckVersion reports whether to ask the source if it has version. After an
// outage, a server may have been restored from a backup with an older state. It
// accepts a watch from a version that it has not reached, and sends nothing
// until it has; by then the changes up to that version are different ones. So
// the version is checked before any event is read, if versions are ordered. The
// watch is opened first: an expired version then needs no check, and other
// reflectors that wait for this server need not wait for the check, which takes
// some seconds if the answer is no.
func (m *machine) mustCheckVersion() bool {
	return m.check.due && m.order.isOrdered() && resourceversion.HasOrder(m.stored.version)
}

// continueUnchecked reads the watch although the version could not be checked,
// if the source does not support the check or several checks have failed. The
// next watch is checked again.
func (m *machine) continueUnchecked(in input, out *outcome) bool {
	switch in.failure.reason {
	case ReasonExpired, ReasonTooLargeVersion, ReasonVersionWentBack, ReasonNotFound:
		return false
	case ReasonRefused, ReasonForbidden, ReasonUndecodable, ReasonOther:
		// The permission to watch need not include the permission to list, and a
		// custom source may not support a list with a limit.
		m.enterWatching(in.at)
		return true
	}
	if m.check.failed++; m.check.failed >= maxFailedChecks {
		m.report(in, "watch", out)
		m.enterWatching(in.at)
		return true
	}
	return false
}

// resumable reports whether a watch can resume from a version. A server
// interprets an empty version and "0" as any point in time, and would not send
// the changes before that point.
func resumable(version string) bool { return version != "" && version != "0" }
