package reflector

import (
	"fmt"
	"time"
)

// The transitions of a [machine], one row for each stage that can follow a stage
// and an input. An empty cell repeats the cell above it. The reasons of a failure
// follow its input; expired is a 410. In "streaming complete" and "listing
// complete" the initial state has been read, and the store has not received it
// yet. "waiting for x" is stageWaiting with x as the next stage; starting leads to
// streaming or listing. Other inputs are refused. TestTransitionTable compares the
// table with the code.
//
//	stage                | input                                          | next stage           | condition or remark
//	---------------------+------------------------------------------------+----------------------+--------------------
//	idle, stopped        | start                                          | streaming            |
//	                     |                                                | listing              | PreferList is set, or the source cannot stream
//	                     |                                                |                      |
//	streaming            | held                                           | waiting for starting |
//	                     | answered                                       | streaming            |
//	                     | event                                          | streaming            |
//	                     |                                                | streaming complete   | the final bookmark
//	                     |                                                | listing              | no final bookmark in time, or an unknown type
//	                     |                                                | waiting for starting | older than the stored state
//	                     | skipped                                        | streaming            |
//	                     |                                                | listing              | the store could keep a deleted object
//	                     | ended, idle                                    | listing              |
//	                     | failed: refused, expired, too large            | listing              |
//	                     | failed: interrupted, undecodable, other        | listing              | the first failure
//	                     |                                                | waiting for starting |
//	                     | failed: any other                              | waiting for starting |
//	streaming complete   | replaced                                       | watching             |
//	                     | failed: store failed                           | waiting for starting |
//	                     |                                                |                      |
//	listing              | held                                           | waiting for starting |
//	                     | skipped                                        | listing              |
//	                     | listed                                         | listing complete     |
//	                     |                                                | waiting for starting | older than the stored state
//	                     | failed: any other                              | waiting for starting |
//	listing complete     | replaced                                       | opening              |
//	                     | failed: store failed                           | waiting for starting |
//	                     |                                                |                      |
//	opening              | held                                           | waiting for opening  |
//	                     | answered                                       | watching             |
//	                     |                                                | checking             | after an outage or an idle watch
//	                     | failed: expired, too large, not found, refused | waiting for starting |
//	                     | failed: any other                              | waiting for opening  |
//	                     |                                                | waiting for starting | no version to resume at, or failed three times there
//	checking             | checked                                        | watching             |
//	                     | failed: expired, too large, not found          | waiting for starting |
//	                     | failed: refused, forbidden, undecodable, other | watching             | the source does not support the check
//	                     | failed: any other                              | waiting for opening  |
//	                     |                                                | watching             | the fifth check in a row
//	                     |                                                |                      |
//	watching             | event                                          | watching             |
//	                     |                                                | waiting for starting | an older version
//	                     |                                                | waiting for opening  | an unknown type
//	                     | skipped                                        | watching             |
//	                     |                                                | waiting for starting | an older version, or the store could keep a deleted object
//	                     |                                                | waiting for opening  | an unknown type
//	                     | ended, idle                                    | opening              |
//	                     |                                                | waiting for opening  | the watch was short and delivered nothing
//	                     |                                                | waiting for starting | no version to resume at
//	                     | failed: expired, too large, not found, refused | waiting for starting |
//	                     | failed: store failed                           | waiting for starting |
//	                     | failed: interrupted, unreachable, timeout      | opening              | the watch was not short, or delivered something
//	                     |                                                | waiting for opening  |
//	                     |                                                | waiting for starting | no version to resume at
//	                     | failed: any other                              | waiting for opening  |
//	                     |                                                | waiting for starting | no version to resume at, or failed three times there,
//	                     |                                                |                      | or the second ERROR event of 500 or above
//	                     |                                                |                      |
//	waiting for opening  | wait-over, released                            | opening              |
//	waiting for starting | wait-over, released                            | streaming            |
//	                     |                                                | listing              | a stream has failed, or the source cannot stream
//	any                  | stop                                           | stopped              |
//
// For example, all decisions on a 410 from an open watch are in watch.go and in
// this file. [Reflector.nextEvent] in watch.go receives the 410 and passes it to
// the machine as failed with ReasonExpired. In this file, stepWatching calls
// watchFailed, resumeOrRelist and relist, which enters waiting for starting,
// without a wait unless the failure before was a 410 too. When the wait is over,
// stepWaiting calls readInitial.
//
// machine_state.go has the stages and the other fields of the machine,
// machine_input.go its inputs and outcomes, machine_initial.go the decisions on an
// initial state, machine_watch.go those on a watch that has not failed, and
// machine_wait.go the waits.

// A machine makes the decisions of a reflector: which request is next, what
// happens with each event, how long to wait. It has no objects, clock, goroutine
// or randomness: times and jitter are part of the inputs, and equal inputs have
// equal outcomes. The Reflector carries out its decisions.
type machine struct {
	name       string
	preferList bool
	backoff    Backoff
	// order tracks whether versions may be compared.
	order versionOrder

	stage stage
	// pause describes stageWaiting.
	pause pause
	// stored describes the state that the store has received.
	stored stored
	// setBack is the evidence that the source was set back to an older state.
	setBack setBack
	// fallback decides whether the initial state is streamed or listed.
	fallback fallback
	// initial describes the initial state that is being read.
	initial initial
	// current describes the open watch.
	current currentWatch
	// past describes the watches before the open one.
	past pastWatches
	// check decides whether the source is asked if it has stored.version.
	check versionCheck

	failures failures
	progress progress
}

// step handles an input and returns the decision. The stage of the machine then
// says which inputs it expects. An input that the stage does not expect is
// refused and changes nothing.
func (m *machine) step(in input) outcome {
	out := outcome{}
	if in.kind == inputStop {
		m.to(stageStopped)
		out.stage = m.stage
		return out
	}
	switch m.stage {
	case stageIdle, stageStopped:
		m.stepIdle(in, &out)
	case stageStreaming:
		m.stepStreaming(in, &out)
	case stageListing:
		m.stepListing(in, &out)
	case stageOpening:
		m.stepOpening(in, &out)
	case stageChecking:
		m.stepChecking(in, &out)
	case stageWatching:
		m.stepWatching(in, &out)
	case stageWaiting:
		m.stepWaiting(in, &out)
	default:
		out.refused = true
	}
	out.stage = m.stage
	return out
}

func (m *machine) stepIdle(in input, out *outcome) {
	switch in.kind {
	case inputStart:
		if m.stored.hasInitialState {
			m.progress.relists++
			m.progress.relistReason = "restarted"
		}
		m.readInitial(in.listReason)
	default:
		out.refused = true
	}
}

func (m *machine) stepStreaming(in input, out *outcome) {
	if m.initial.complete {
		switch in.kind {
		case inputReplaced:
			m.replaced(in.at)
			m.fallback.brokenStreams = 0
			m.enterWatching(in.at)
		case inputFailed: // the store has failed
			m.retryAfterWait(in, "watch", stageStarting, out)
		default:
			out.refused = true
		}
		return
	}
	switch in.kind {
	case inputHeld:
		if !m.initial.openedAt.IsZero() {
			out.refused = true
			return
		}
		m.holdRequest(in, "watch", stageStarting, out)
	case inputAnswered:
		m.initial.openedAt = in.at
	case inputEvent:
		m.initialEvent(in, out)
	case inputSkipped:
		m.skipInitialEvent(in, out)
	case inputEnded:
		m.fallBackToList(in.withFailure(ReasonNoInitialEventsEnd, errEndedEarly), true, out)
	case inputIdle:
		m.fallBackToList(in.withFailure(ReasonNoInitialEventsEnd, errNoInitialEventsEnd), true, out)
	case inputFailed:
		m.streamFailed(in, out)
	default:
		out.refused = true
	}
}

func (m *machine) stepListing(in input, out *outcome) {
	if m.initial.complete {
		switch in.kind {
		case inputReplaced:
			m.replaced(in.at)
			if m.fallback.suspectedReason != "" {
				m.remember(m.fallback.suspectedReason, out)
			}
			m.to(stageOpening)
		case inputFailed: // the store has failed
			m.retryAfterWait(in, "list", stageStarting, out)
		default:
			out.refused = true
		}
		return
	}
	switch in.kind {
	case inputHeld:
		m.holdRequest(in, "list", stageStarting, out)
	case inputSkipped:
		m.reportUndecodable(in, "list", out)
		out.verdict = verdictPass
	case inputListed:
		m.endInitial(in, "list", out)
	case inputFailed:
		m.retryAfterWait(in, "list", stageStarting, out)
	default:
		out.refused = true
	}
}

func (m *machine) stepOpening(in input, out *outcome) {
	switch in.kind {
	case inputHeld:
		m.check.due, m.past.end = true, notEnded
		m.holdRequest(in, "watch", stageOpening, out)
	case inputAnswered:
		m.order.watchOpened()
		if m.mustCheckVersion() {
			m.to(stageChecking)
		} else {
			m.enterWatching(in.at)
		}
	case inputFailed:
		m.noteOutage(in)
		m.resumeOrRelist(in, out)
	default:
		out.refused = true
	}
}

func (m *machine) stepChecking(in input, out *outcome) {
	switch in.kind {
	case inputChecked:
		m.check = versionCheck{verifiedAt: in.at}
		m.enterWatching(in.at)
	case inputFailed:
		m.noteOutage(in)
		if !m.continueUnchecked(in, out) {
			m.resumeOrRelist(in, out)
		}
	default:
		out.refused = true
	}
}

func (m *machine) stepWatching(in input, out *outcome) {
	switch in.kind {
	case inputEvent:
		m.takeEvent(in, out)
	case inputSkipped:
		m.skipEvent(in, out)
	case inputEnded:
		m.watchEnded(in, out)
	case inputIdle:
		// Nothing may have changed, or the server may be gone. Opening another
		// watch shows which.
		m.check.due = true
		m.watchEnded(in, out)
	case inputFailed:
		m.watchFailed(in, out)
	default:
		out.refused = true
	}
}

func (m *machine) stepWaiting(in input, out *outcome) {
	end := inputWaitOver
	if m.pause.shared {
		end = inputReleased
	}
	switch {
	case in.kind != end:
		out.refused = true
	case m.pause.next == stageStarting:
		if in.served {
			m.failures.served()
		}
		m.readInitial(in.listReason)
	default:
		m.to(m.pause.next)
	}
}

// to enters a stage.
func (m *machine) to(s stage) {
	m.stage = s
	if s != stageWatching {
		m.current = currentWatch{}
	}
}

// enterWatching records that a watch is open.
func (m *machine) enterWatching(at time.Time) {
	m.to(stageWatching)
	m.current.openedAt, m.past.end = at, notEnded
	m.failures.opened(at)
}

// watchFailed handles the failure of an open watch. A connection that is lost
// after the watch has been useful is not a failure.
func (m *machine) watchFailed(in input, out *outcome) {
	m.resetIfHealthy(in.at)
	m.past.end = endClosed
	if in.failure.connectionLost() {
		m.past.end = endConnectionLost
		if resumable(m.stored.version) && m.wasUseful(in.at, minBrokenWatchTime) {
			m.to(stageOpening)
			return
		}
		m.check.due = m.check.due || in.failure.sharedWait
		if resumable(m.stored.version) && m.isFirstShortWatch(in) {
			m.retryAtOnce(in, "watch", stageOpening, out)
			return
		}
	}
	m.resumeOrRelist(in, out)
}

// resumeOrRelist handles a failure of a watch. It resumes at the last version if
// that is still valid, and reads the whole state again otherwise.
func (m *machine) resumeOrRelist(in input, out *outcome) {
	if !resumable(m.stored.version) {
		m.relist(in, out)
		return
	}
	switch in.failure.reason {
	case ReasonExpired, ReasonTooLargeVersion, ReasonVersionWentBack, ReasonNotFound, ReasonRefused:
		m.relist(in, out)
		return
	case ReasonStoreFailed:
		m.stored.version = m.stored.previousVersion
		m.relist(in, out)
		return
	case ReasonUndecodable, ReasonOther:
		if m.past.failedVersion != m.stored.version {
			m.past.failuresAtVersion, m.past.failedVersion = 0, m.stored.version
		}
		if m.past.failuresAtVersion++; m.past.failuresAtVersion >= maxFailuresAtVersion {
			m.relist(in, out)
			return
		}
	default:
		if m.stage == stageWatching && in.failure.code >= 500 {
			if m.past.errorEvents++; m.past.errorEvents >= maxErrorEvents {
				m.past.errorEvents = 0
				m.relist(in, out)
				return
			}
		}
	}
	m.retryAfterWait(in, "watch", stageOpening, out)
}

// relist reads the whole state again. It waits first, unless the source has
// answered that the version is unusable.
func (m *machine) relist(in input, out *outcome) {
	reason := in.failure.reason
	m.setBack.versionsReused = m.setBack.versionsReused || reason == ReasonTooLargeVersion || reason == ReasonVersionWentBack
	// "Too large" is the first piece of evidence that the source was set back.
	// An older list is the second.
	m.setBack.olderStateSeen = m.setBack.olderStateSeen || reason == ReasonTooLargeVersion
	m.progress.relists++
	m.progress.relistReason = firstLine(fmt.Sprintf("%s: %v", reason, in.failure.err))
	m.past.failuresAtVersion = 0
	if answered := reason == ReasonExpired || reason == ReasonTooLargeVersion; answered && !m.past.lastExpired {
		m.past.lastExpired = true
		in.failure.sharedWait = false
		m.retryAtOnce(in, "watch", stageStarting, out)
		return
	}
	m.retryAfterWait(in, "watch", stageStarting, out)
}
