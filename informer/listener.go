package informer

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/indexer"
)

// A listener brings one handler what has happened, on a goroutine of its own.
//
// It works in runs: it cuts a few notifications from the log, or from what was
// merged for it, calls the handler for each, and cuts the next. What has been
// cut is the listener's; what has not may be merged by the processor.
type listener[T any] struct {
	processor *processor[T]
	name      string
	handler   ResourceEventHandler[T]
	options   HandlerOptions

	// over is set once: from then on no callback begins. It is looked at before
	// each.
	over atomic.Bool
	// asleep says that the listener is at the end of the log and waits for wake.
	// It changes under the processor's lock.
	asleep atomic.Bool
	// wake holds one token at most. One too many costs a look around.
	wake chan struct{}
	// synced is closed when the handler has returned from the initial list, done
	// when its last callback has ended and none follows.
	synced, done chan struct{}

	// at is how many notifications of the log no longer wait, or merging.
	at atomic.Uint64
	// kept is how many more wait that have been merged, ahead how many that are
	// told from a snapshot before all others.
	kept, ahead atomic.Int64
	// since is when the callback, or the run of quick ones, began, in
	// nanoseconds of the epoch; 0 if none runs.
	since          atomic.Int64
	merged, panics atomic.Uint64

	// mu guards what is cut from. The processor's lock is taken before it.
	mu     sync.Mutex
	cursor cursor[T]
	// folding: the cursor is void, and what happens goes to pending.
	folding bool
	pending pending[T]
	// resync is what to tell again when the cursor has come to its place.
	resync *resync[T]

	// running and ended change under the processor's lock: there is a goroutine,
	// and done is closed.
	running, ended bool

	own[T]
}

// merging is what at says while notifications are merged for the listener.
const merging = ^uint64(0)

// own is what only the listener's goroutine touches once it runs.
type own[T any] struct {
	// start is what the handler is told first: what was there when it was
	// added. startTold is how much of it has been told.
	start     *indexer.Snapshot[T]
	startTold int
	// syncedAfterStart: the initial list was complete by then.
	syncedAfterStart bool
	pace             pace
	// rest is what is left of a run that a callback has ended the goroutine in.
	rest []notification[T]
	// buffer has a run that is not the log's.
	buffer []notification[T]
	// resyncTimer is nil without a period, and until the handler has synced.
	resyncTimer *time.Timer
	// resyncDue: the time has come, and the resync has not been told.
	resyncDue bool
	// resyncing is being told, resyncTold is how much of it has been.
	resyncing  *resync[T]
	resyncTold int
	// exited: the callback has ended the goroutine. crashing: its panic is
	// about to end the process.
	exited, crashing bool
}

// run is the listener's goroutine. If the handler ends it, another takes over.
func (l *listener[T]) run() {
	defer l.leave()
	l.tell(l.rest)
	l.rest = nil
	l.tellStart()
	l.tellResync()
	for !l.over.Load() {
		l.planResync()
		run := l.cut()
		switch {
		case l.resyncing != nil:
			l.tellResync()
		case len(run) > 0:
			l.tell(run)
		default:
			l.pause()
		}
	}
}

// leave ends the goroutine, or hands over to the next.
func (l *listener[T]) leave() {
	switch {
	case l.crashing:
	case l.exited:
		l.exited = false
		go l.run()
	default:
		if l.resyncTimer != nil {
			l.resyncTimer.Stop()
		}
		l.since.Store(0)
		l.processor.ended(l)
	}
}

// cut takes the next run; none means that there is nothing to do but what
// pause finds.
func (l *listener[T]) cut() []notification[T] {
	most := l.pace.next(&l.since)
	clear(l.buffer)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.folding {
		l.buffer = l.pending.take(l.buffer[:0], most)
		l.kept.Store(int64(max(l.pending.len()+len(l.buffer)-1, 0)))
		return l.buffer
	}
	if l.resync != nil {
		most = min(most, int(l.resync.at-l.cursor.at))
	}
	if most == 0 {
		l.resyncing, l.resync = l.resync, nil
		return nil
	}
	run := l.cursor.take(most)
	if l.at.Store(l.cursor.at); len(run) > 1 {
		l.at.Store(l.cursor.at - uint64(len(run)) + 1)
	}
	return run
}

// leaveLog lets go of the log: from here on pending has what waits. It needs
// mu.
func (l *listener[T]) leaveLog() {
	l.folding, l.cursor, l.resync = true, cursor[T]{}, nil
	l.at.Store(merging)
}

// void drops all that waits.
func (l *listener[T]) void() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaveLog()
	l.pending = pending[T]{}
	l.kept.Store(0)
}

// pause waits for something to do, if there is nothing.
func (l *listener[T]) pause() {
	l.pace = pace{}
	if !l.processor.settle(l) {
		return
	}
	l.since.Store(0)
	var resync <-chan time.Time
	if l.resyncTimer != nil {
		resync = l.resyncTimer.C
	}
	select {
	case <-l.wake:
	case <-resync:
		l.resyncDue = true
	}
	if l.asleep.Load() {
		l.processor.rouse(l)
	}
}

// awaken ends a pause, or the next one.
func (l *listener[T]) awaken() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// waiting is how many notifications wait for the handler, end being the end of
// the log.
func (l *listener[T]) waiting(end uint64) int {
	n := int(l.kept.Load() + l.ahead.Load())
	if at := l.at.Load(); at < end {
		n += int(end - at)
	}
	return n
}

// markSynced: the handler has returned from the initial list.
func (l *listener[T]) markSynced() {
	select {
	case <-l.synced:
		return
	default:
	}
	close(l.synced)
	if l.options.ResyncPeriod > 0 {
		l.resyncTimer = time.NewTimer(l.options.ResyncPeriod)
	}
}

func (l *listener[T]) hasSynced() bool {
	select {
	case <-l.synced:
		return true
	default:
		return false
	}
}

func (l *listener[T]) state(end uint64) HandlerState {
	s := HandlerState{
		Name:    l.name,
		Synced:  l.hasSynced(),
		Pending: l.waiting(end),
		Merged:  l.merged.Load(),
		Panics:  l.panics.Load(),
	}
	if since := l.since.Load(); since != 0 {
		s.Since = time.Unix(0, since)
	}
	return s
}
