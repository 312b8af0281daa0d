package reflector

import "time"

// stage is the state of the machine.
type stage uint8

const (
	// stageIdle and stageStopped wait for inputStart.
	stageIdle stage = iota
	// stageStarting leads to stageStreaming or stageListing immediately. It is
	// only used as the target of stageWaiting.
	stageStarting
	// stageStreaming: a watch delivers the initial state, or is being opened for
	// that.
	stageStreaming
	// stageListing: a list delivers the initial state.
	stageListing
	// stageOpening: a watch is being opened at stored.version.
	stageOpening
	// stageChecking: a watch is open, and the source is asked whether it has
	// stored.version before any event is read.
	stageChecking
	// stageWatching: a watch is open and healthy.
	stageWatching
	// stageWaiting: the machine waits until failures.retryAt, then enters
	// pause.next.
	stageWaiting
	stageStopped
)

var stageNames = [...]string{"idle", "starting", "streaming", "listing", "opening", "checking", "watching", "waiting", "stopped"}

func (s stage) String() string { return stageNames[s] }

// pause describes a wait before the next attempt.
type pause struct {
	// next is the stage that follows: stageOpening, or stageStarting to read the
	// whole state again.
	next stage
	// shared: the wait ends with inputReleased, not with inputWaitOver.
	shared bool
	// untilServed: the resource was not found, and the wait ends when the source finds
	// it, not before retryAt.
	untilServed bool
	// beforeRequest: no request was sent before this wait.
	beforeRequest bool
	// retryAt is the expected time of the next attempt.
	retryAt time.Time
}

// stored describes the state that the store has received.
type stored struct {
	// version is the newest version, previousVersion the one before it.
	version, previousVersion string
	epoch                    int
	// hasInitialState: the store has received an initial state.
	hasInitialState bool
}

// setBack is the evidence that the source was set back to an older state.
type setBack struct {
	// olderStateSeen: an initial state was older than the stored one, and was
	// rejected. If the next one is older as well, it begins an epoch.
	olderStateSeen bool
	// versionsReused: the source may have been set back since the store received
	// its state, so that one version may denote two states of an object.
	versionsReused bool
}

// fallback decides whether the initial state is streamed or listed.
type fallback struct {
	// mode is how the initial state is or was read. reason is why it is not
	// streamed.
	mode   Mode
	reason string
	// listReason is why this source cannot stream, as far as known.
	listReason string
	// suspectedReason becomes listReason if the list that is read instead of a
	// stream succeeds; "" if there is none.
	suspectedReason string
	// nextListReason is why the next initial state is listed, once; "" if it is
	// streamed. nextSuspectedReason becomes suspectedReason for that list.
	nextListReason, nextSuspectedReason string
	// brokenStreams counts the streams in a row that broke off before their
	// final bookmark.
	brokenStreams int
}

// initial describes an initial state that is being read.
type initial struct {
	// openedAt is when the source began to stream it.
	openedAt time.Time
	// holding is set after an event that is not part of the initial state. From
	// then on all events up to the final bookmark are held until the store has
	// the initial state.
	holding bool
	// holdingSince is when holding was set.
	holdingSince time.Time
	// newestVersion is the newest version of an item; "" if there is none, or if
	// versions cannot be compared.
	newestVersion string
	incomparable  bool
	// complete: the initial state has been read. version is its version.
	complete bool
	version  string
}

// currentWatch describes the open watch. It is zero if none is open.
type currentWatch struct {
	openedAt time.Time
	// delivered: the watch has delivered something new.
	delivered bool
}

// pastWatches describes the watches before the open one.
type pastWatches struct {
	// end is how the last watch ended, until the next request is answered or
	// fails.
	end watchEnd
	// lastShort: the last watch was short and delivered nothing. A second one in
	// a row waits.
	lastShort bool
	// lastExpired: the last failure was a response that the version is unusable.
	// A second one in a row waits.
	lastExpired bool
	// errorEvents counts the ERROR events with a code of 500 or above since a
	// watch last delivered something.
	errorEvents int
	// failuresAtVersion counts the watches in a row that failed at failedVersion
	// for a reason that is not transient.
	failuresAtVersion int
	failedVersion     string
}

// watchEnd is how a watch has ended.
type watchEnd uint8

const (
	notEnded watchEnd = iota
	// endClosed: the source or an error has ended it.
	endClosed
	// endConnectionLost: its connection was lost.
	endConnectionLost
)

// versionCheck decides whether the source is asked if it has stored.version.
type versionCheck struct {
	// due: the source has been unreachable or idle. It may have been set back
	// since, and may not have the version.
	due bool
	// verifiedAt is when the source last sent something that only a source that
	// has the version sends.
	verifiedAt time.Time
	// failed counts the checks that failed in a row.
	failed int
}

// progress has the parts of State on which no decision depends.
type progress struct {
	relists      int
	relistReason string
	undecodable  uint64
	lastEvent    time.Time
	lastBookmark time.Time
}
