package reflector

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

const (
	// quietMost is how long watches that end in time, one after another, may
	// bring nothing until that is a silence. A server sends a bookmark about
	// once a minute.
	quietMost = 2 * time.Minute
	// shortWatch is how long a watch lives at least that is worth opening the
	// next one at once.
	shortWatch = time.Second
	// stuckMost is how many watches in a row may fail at the same version, for
	// a reason that does not pass, until everything is read again.
	stuckMost = 3
	// unansweredMost is how many times in a row the source may fail to say
	// whether it has a version, until a watch is opened all the same: where
	// lists do not work, watches may.
	unansweredMost = 5
)

var errNoVersion = errors.New("the source names no version from which another watch could go on")

// watch: one is open from here on.
func (m *machine) watch(at time.Time) {
	m.to(watching)
	m.opened = at
	m.failures.proveBy(at)
}

// seen notes when the source has said something.
func (m *machine) seen(in input) {
	m.heard = in.at
	if in.typ == watch.Bookmark {
		m.lastBookmark = in.at
		return
	}
	m.lastEvent = in.at
}

// settle forgets what happened before the watch that is open, once that has
// proved healthy.
func (m *machine) settle(at time.Time) {
	if m.failures.forget(at) {
		m.stuck = 0
	}
}

// follow judges an event of a watch.
func (m *machine) follow(in input, out *outcome) {
	m.seen(in)
	m.settle(in.at)
	switch in.typ {
	case watch.Added, watch.Modified, watch.Deleted:
		out.verdict = pass
	case watch.Bookmark:
		out.verdict = mark
	default:
		m.failedWatch(in.because(Undecodable, fmt.Errorf("%w: %q", errUnknownType, in.typ)), out)
		return
	}
	if order, ok := compare(in.version, m.version); ok && order < 0 {
		out.verdict = drop
		err := fmt.Errorf("%w: it is of version %s", errOlderEvent, in.version)
		m.relist(in.because(WentBack, err), out)
		return
	}
	m.before = m.version
	if in.version != "" {
		m.version = in.version
	} else if out.verdict == mark {
		out.verdict = drop
	}
}

// fellSilent: a watch of something that does not change is silent, as one of a
// server that has gone away is. Another one is opened, which shows which of the
// two it was.
func (m *machine) fellSilent(in input, out *outcome) {
	m.suspect = true
	m.endedWatch(in, out)
}

// endedWatch: servers end watches all the time, and another one is opened at
// once. One that ends as soon as it was opened would make a busy loop of that.
func (m *machine) endedWatch(in input, out *outcome) {
	lived := in.at.Sub(m.opened)
	m.settle(in.at)
	m.suspect = m.suspect || in.early || in.at.Sub(m.heard) >= quietMost
	switch {
	case !resumable(m.version):
		m.relist(in.because(Interrupted, errNoVersion), out)
		return
	case lived >= shortWatch:
		m.to(m.resumption())
		return
	}
	err := fmt.Errorf("%w, after %v", ErrShortWatch, lived)
	m.again(in.because(Interrupted, err), "watch", m.resumption(), out)
}

// resumption is where the next watch begins. A server that has been away may
// have come back with an older state, from a backup. It would accept a watch
// from a version that it has not reached, and keep silent until it has, with
// other changes than those that led there before. So it is asked first.
func (m *machine) resumption() stage {
	if m.suspect && comparable(m.version) {
		return checking
	}
	return opening
}

// failedWatch resumes at the last version wherever that is still good.
func (m *machine) failedWatch(in input, out *outcome) {
	if m.stage == watching {
		m.settle(in.at)
	}
	m.suspect = m.suspect || in.failure.reason != Throttled
	if m.stage == checking && m.unasked(in, out) {
		return
	}
	if !resumable(m.version) {
		m.relist(in, out)
		return
	}
	switch in.failure.reason {
	case Expired, TooLarge, WentBack, NotFound, Refused:
		m.relist(in, out)
	case StoreFailed:
		m.version = m.before
		m.relist(in, out)
	case Undecodable, Other:
		if m.stuck++; m.stuckAt != m.version {
			m.stuck, m.stuckAt = 1, m.version
		}
		if m.stuck >= stuckMost {
			m.relist(in, out)
			return
		}
		m.again(in, "watch", m.resumption(), out)
	default:
		m.again(in, "watch", m.resumption(), out)
	}
}

// unasked opens a watch although the source has not said whether it has the
// version, where it cannot be asked. That may be a passing thing, so the next
// doubt leads to the same question.
func (m *machine) unasked(in input, out *outcome) bool {
	switch in.failure.reason {
	case Refused, Forbidden, Undecodable, Other:
		// Whoever may watch need not be allowed to list, and a source made by
		// hand need not know what a list with a limit is.
		m.to(opening)
		return true
	case Timeout, ServerError, Interrupted, Throttled, Unauthorized:
		if m.unanswered++; m.unanswered >= unansweredMost {
			m.again(in, "watch", opening, out)
			return true
		}
	}
	return false
}

// relist reads everything again, after a wait.
func (m *machine) relist(in input, out *outcome) {
	m.distrusts = m.distrusts || in.failure.reason == TooLarge || in.failure.reason == WentBack
	m.relists++
	m.relistReason = firstLine(fmt.Sprintf("%s: %v", in.failure.reason, in.failure.err))
	m.stuck = 0
	m.again(in, "watch", starting, out)
}
