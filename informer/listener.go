package informer

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/indexer"
)

// A listener delivers the notifications to one handler, on its own goroutine.
//
// It works in runs: it takes a few notifications from the log or from pending,
// calls the handler for each, and takes the next run. The processor may merge only
// notifications that have not been taken.
type listener[T any] struct {
	processor *processor[T]
	name      string
	handler   ResourceEventHandler[T]
	options   HandlerOptions

	// stopped is set once: after that no callback starts. It is read before each
	// callback.
	stopped atomic.Bool
	// idle: the listener is at the end of the log and waits for wake. It changes
	// under the processor's lock.
	idle atomic.Bool
	// wake has a buffer of one. A superfluous token is harmless.
	wake chan struct{}
	// synced is closed when the handler has returned from the initial list, done
	// when its last callback has returned.
	synced, done chan struct{}

	// position is the number of entries of the log that do not wait any more, or
	// positionMerging.
	position atomic.Uint64
	// mergedPending is the number of waiting merged notifications, snapshotPending
	// the number of objects of a snapshot that have not been delivered.
	mergedPending, snapshotPending atomic.Int64
	// callbackStart is when the callback or the run began, as Unix time in
	// nanoseconds; 0 if none is running.
	callbackStart  atomic.Int64
	merged, panics atomic.Uint64

	// mu guards the fields below. The processor's lock is taken before it.
	mu     sync.Mutex
	cursor cursor[T]
	// merging: notifications are merged into pending, and cursor is not valid.
	merging bool
	pending pending[T]
	// resync is delivered when the cursor has reached its position.
	resync *resync[T]

	// running: the goroutine has been started. ended: done has been closed. Both
	// change under the processor's lock.
	running, ended bool

	goroutineState[T]
}

// positionMerging is the value of position while notifications are merged.
const positionMerging = ^uint64(0)

// goroutineState has the fields that only the listener's goroutine uses while it
// runs.
type goroutineState[T any] struct {
	// initial are the objects that were stored when the handler was added, and
	// are delivered first. initialDelivered counts those that have been delivered.
	initial          *indexer.Snapshot[T]
	initialDelivered int
	// syncedAfterInitial: the handler has synced when initial has been delivered.
	syncedAfterInitial bool
	sizer              runSizer
	// remaining is the rest of a run in which a callback ended the goroutine.
	remaining []notification[T]
	// buffer has a run that was taken from pending.
	buffer []notification[T]
	// resyncTimer is nil without a period, and before the handler has synced.
	resyncTimer *time.Timer
	// resyncDue: the timer has fired, and the resync has not been delivered.
	resyncDue bool
	// resyncing is being delivered; resyncDelivered counts its objects.
	resyncing       *resync[T]
	resyncDelivered int
	// exited: a callback has ended the goroutine. crashing: a panic is about to
	// end the process.
	exited, crashing bool
}

// run is the listener's goroutine. If a callback ends it, a new one continues.
func (l *listener[T]) run() {
	defer l.finish()
	l.deliver(l.remaining)
	l.remaining = nil
	l.deliverInitial()
	l.deliverResync()
	for !l.stopped.Load() {
		l.planResync()
		run := l.next()
		switch {
		case l.resyncing != nil:
			l.deliverResync()
		case len(run) > 0:
			l.deliver(run)
		default:
			l.waitForWork()
		}
	}
}

// finish ends the goroutine, or starts a new one if a callback has ended it.
func (l *listener[T]) finish() {
	switch {
	case l.crashing:
	case l.exited:
		l.exited = false
		go l.run()
	default:
		if l.resyncTimer != nil {
			l.resyncTimer.Stop()
		}
		l.callbackStart.Store(0)
		l.processor.listenerEnded(l)
	}
}

// next takes the next run. It returns nil if there is none, or if a resync is due.
func (l *listener[T]) next() []notification[T] {
	limit := l.sizer.next(&l.callbackStart)
	clear(l.buffer)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.merging {
		l.buffer = l.pending.take(l.buffer[:0], limit)
		l.mergedPending.Store(int64(max(l.pending.len()+len(l.buffer)-1, 0)))
		return l.buffer
	}
	if l.resync != nil {
		limit = min(limit, int(l.resync.position-l.cursor.position))
	}
	if limit == 0 {
		l.resyncing, l.resync = l.resync, nil
		return nil
	}
	run := l.cursor.take(limit)
	if l.position.Store(l.cursor.position); len(run) > 1 {
		l.position.Store(l.cursor.position - uint64(len(run)) + 1)
	}
	return run
}

// detach releases the log; notifications are then merged into pending. It needs
// mu.
func (l *listener[T]) detach() {
	l.merging, l.cursor, l.resync = true, cursor[T]{}, nil
	l.position.Store(positionMerging)
}

// dropPending drops all waiting notifications.
func (l *listener[T]) dropPending() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.detach()
	l.pending = pending[T]{}
	l.mergedPending.Store(0)
}

// waitForWork waits until there is something to do.
func (l *listener[T]) waitForWork() {
	l.sizer = runSizer{}
	if !l.processor.tryIdle(l) {
		return
	}
	l.callbackStart.Store(0)
	var resync <-chan time.Time
	if l.resyncTimer != nil {
		resync = l.resyncTimer.C
	}
	select {
	case <-l.wake:
	case <-resync:
		l.resyncDue = true
	}
	if l.idle.Load() {
		l.processor.wakeSelf(l)
	}
}

// signal ends the current or the next wait of the listener.
func (l *listener[T]) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// waiting returns the number of waiting notifications. end is the end of the log.
func (l *listener[T]) waiting(end uint64) int {
	n := int(l.mergedPending.Load() + l.snapshotPending.Load())
	if at := l.position.Load(); at < end {
		n += int(end - at)
	}
	return n
}

// markSynced closes synced and starts the resync timer.
func (l *listener[T]) markSynced() {
	select {
	case <-l.synced:
		return
	default:
	}
	close(l.synced)
	if h, ok := l.handler.(interface{ onSynced() }); ok {
		h.onSynced()
	}
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
	if since := l.callbackStart.Load(); since != 0 {
		s.Since = time.Unix(0, since)
	}
	return s
}

// A runSizer determines the length of a listener's next run. Reading the clock and
// taking a lock for each callback would cost more than most callbacks. But the
// notifications of a run can no longer be merged, and State cannot show progress
// within it. So runs grow while they are fast, and a slow handler takes one
// notification at a time.
type runSizer struct {
	limit int
	start time.Time
}

const (
	maxRun     = maxChunk
	maxFastRun = time.Millisecond
)

// next starts a run and returns its maximal length.
func (p *runSizer) next(since *atomic.Int64) int {
	now := time.Now()
	if p.limit > 0 && now.Sub(p.start) < maxFastRun {
		p.limit = min(2*p.limit, maxRun)
	} else {
		p.limit = 1
	}
	p.start = now
	since.Store(now.UnixNano())
	return p.limit
}
