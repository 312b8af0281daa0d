package workqueue

import (
	"sync"
	"sync/atomic"

	"k8s.io/utils/clock"
)

// TypedInterface is a queue of items for any number of workers.
type TypedInterface[T comparable] interface {
	// Add queues the item, unless it already waits. An item that is being
	// processed is queued at its Done. After shutdown Add does nothing.
	Add(item T)
	// Len returns the number of waiting items. Use it for information only: it
	// may have changed when the call returns.
	Len() int
	// Get waits for an item. If shutdown is true, there is no item and the
	// worker must end. Every returned item MUST be passed to Done.
	Get() (item T, shutdown bool)
	// Done marks the item as processed. For an item that is not being processed
	// it does nothing.
	Done(item T)
	// ShutDown stops accepting items and returns immediately. Workers still get
	// the waiting items, and then shutdown.
	ShutDown()
	// ShutDownWithDrain calls ShutDown and waits until Done was called
	// for all waiting items and all items in progress. Any number of
	// callers may wait. A call of ShutDown ends their wait.
	ShutDownWithDrain()
	// ShuttingDown reports whether the queue has been shut down.
	ShuttingDown() bool
}

// TypedQueueConfig configures [NewTypedWithConfig]. Its zero value is the
// default.
type TypedQueueConfig[T comparable] struct {
	// Name labels the metrics. If it is empty, the queue has no metrics.
	Name string

	// MetricsProvider creates the metrics. If nil, the provider set by
	// SetProvider is used.
	MetricsProvider MetricsProvider

	// Clock replaces the real clock in tests. Its methods are called with the
	// lock of the queue held. If nil, the real clock is used, which
	// testing/synctest can fake.
	Clock clock.WithTicker

	// Queue determines the order of the waiting items. If nil, it is the order
	// of arrival.
	Queue Queue[T]
}

// Typed is a queue of items of type T. Create it with [NewTyped] or
// [NewTypedWithConfig].
type Typed[T comparable] struct {
	clock       monotonicClock
	metrics     *queueMetrics[T] // nil if the queue has no metrics
	recordTimes bool             // whether records have times, for metrics or aging

	mu         sync.Mutex
	items      table[T, record[T]] // exactly the items that are waiting, processing or delayed
	queue      entryQueue[T]       // the waiting items
	processing int                 // number of items being processed
	inProgress inProgress[T]       // those items, for Snapshot
	addedAgain atomic.Int64        // number of those that were added again; written with mu held
	delays     delayHeap[T]        // the delayed items; used by delayingQueue only

	cond    sync.Cond // for workers that wait in Get; uses mu
	waiters int       // number of workers that wait on cond
	waking  bool      // one of them was signaled and has not run yet

	shuttingDown bool          // never reset
	drained      chan struct{} // not nil while a caller waits for the drain; closed to end the wait
}

var _ TypedInterface[int] = (*Typed[int])(nil)

// NewTyped returns a queue without metrics.
func NewTyped[T comparable]() *Typed[T] {
	return NewTypedWithConfig(TypedQueueConfig[T]{})
}

// NewTypedWithConfig returns a queue.
func NewTypedWithConfig[T comparable](config TypedQueueConfig[T]) *Typed[T] {
	return newTyped(config, nil)
}

// newTyped returns a queue that uses order or, if that is nil, the order of the
// configuration.
func newTyped[T comparable](config TypedQueueConfig[T], order entryQueue[T]) *Typed[T] {
	q := &Typed[T]{clock: newMonotonicClock(config.Clock)}
	q.items.init()
	q.cond.L = &q.mu
	q.delays.timer = newDeadlineTimer(q.clock.clock, q.addDue)
	q.metrics = newQueueMetrics(q, config.Name, config.MetricsProvider)
	q.recordTimes = q.metrics != nil || order != nil
	switch {
	case order != nil:
		q.queue = order
	case config.Queue != nil:
		q.queue = &customQueue[T]{config.Queue, &q.items}
	default:
		q.queue = new(fifoQueue[T])
	}
	return q
}

// Add queues the item, unless it already waits. An item that is being processed
// is queued once, at its Done, however often it is added. After shutdown Add
// does nothing.
//
// An item that is not equal to itself (a NaN) is not added, because Done could
// not find it. An item that cannot be hashed, which requires that T is an
// interface, panics as it would as the key of a map, and leaves the queue
// unchanged.
func (q *Typed[T]) Add(item T) { q.add(item, 0) }

func (q *Typed[T]) add(item T, priority int32) {
	if item != item {
		return
	}
	fresh := q.admitItem(item, q.items.hash(item), priority, q.timestamp())
	if fresh && q.metrics != nil {
		q.metrics.added(1)
	}
}

func (q *Typed[T]) admitItem(item T, hash uint64, priority int32, now int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.shuttingDown && q.admit(q.items.findOrAdd(hash, item), priority, now)
}

// admit queues the item, or marks it to be queued at its Done. It reports
// whether this changed the state of the queue.
func (q *Typed[T]) admit(n *entry[T], priority int32, now int64) bool {
	r := &n.val
	switch {
	case r.state&waiting != 0:
		q.queue.touch(n, priority)
		return false
	case r.state&addedAgain != 0:
		r.nextPriority = max(r.nextPriority, priority)
		return false
	case r.state&processing != 0:
		r.state |= addedAgain
		r.nextPriority = priority
		q.addedAgain.Add(1)
	case r.state&delayed != 0:
		q.enqueue(n, max(r.priority, priority))
	default:
		q.enqueue(n, priority)
	}
	r.added = now
	return true
}

func (q *Typed[T]) enqueue(n *entry[T], priority int32) {
	n.val.state |= waiting
	n.val.priority = priority
	q.queue.push(n)
	q.wake()
}

// wake signals a waiting worker if none is signaled yet. A worker that has
// taken an item wakes the next one, so that many added items do not wake many
// workers at once for items that the first ones take.
//
// Invariant: if items are queued and workers wait, waking is true.
func (q *Typed[T]) wake() {
	if q.waiters > 0 && !q.waking {
		q.waking = true
		q.cond.Signal()
	}
}

// Get waits for an item and returns it. No other worker gets the item before
// its Done. When the queue has been shut down and is empty, Get returns the
// zero item and true.
//
// During a drain, workers keep waiting while an item that is being processed
// was added again, because one of them must process that item again.
func (q *Typed[T]) Get() (item T, shutdown bool) {
	item, waited, ok := q.next()
	if ok && q.metrics != nil {
		q.metrics.got(waited)
	}
	return item, !ok
}

func (q *Typed[T]) next() (item T, waited int64, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, now := q.pop()
	if n == nil {
		return item, 0, false
	}
	r := &n.val
	r.state = r.state&^waiting | processing
	q.processing++
	q.inProgress.add(n)
	if q.metrics != nil {
		r.started = now
		q.metrics.start(n)
	}
	return n.item, now - r.added, true
}

// pop waits for an entry and removes it from the queue. It returns nil if the
// worker should end.
func (q *Typed[T]) pop() (n *entry[T], now int64) {
	for {
		for q.queue.len() == 0 {
			if q.workerShouldStop() {
				return nil, 0
			}
			q.waiters++
			q.cond.Wait()
			q.waiters--
			q.waking = false
		}
		now = q.timestamp()
		n = q.queue.pop(now)
		switch {
		case q.queue.len() > 0:
			q.wake()
		case q.waiters > 0 && q.workerShouldStop():
			q.cond.Broadcast()
		}
		if n.val.state&processing == 0 {
			return n, now
		}
		// Only a custom Queue that returns an item twice reaches this line. The
		// item is not returned twice.
		q.admit(n, n.val.priority, now)
	}
}

// workerShouldStop reports whether a worker should end when the queue is empty.
func (q *Typed[T]) workerShouldStop() bool {
	return q.shuttingDown && (q.drained == nil || q.addedAgain.Load() == 0)
}

// Done marks the item as processed. If it was added in the meantime, it is
// queued again. For an item that is not being processed, Done does nothing. A
// second Done, after another worker has got the item, marks the item as
// processed although that worker still processes it, because the queue cannot
// distinguish the two workers.
func (q *Typed[T]) Done(item T) {
	worked, publish, ok := q.finish(item, q.items.hash(item))
	if ok && q.metrics != nil {
		q.metrics.done(worked)
		if publish {
			q.metrics.publish()
		}
	}
}

// finish returns the processing time and reports whether the caller must update
// the gauges, because no timer will do it.
func (q *Typed[T]) finish(item T, hash uint64) (worked int64, publish, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.items.find(hash, item)
	if n == nil || n.val.state&processing == 0 {
		return 0, false, false
	}
	r := &n.val
	r.state &^= processing
	q.processing--
	q.inProgress.remove(n)
	if q.metrics != nil {
		worked = q.clock.now() - r.started
		q.metrics.stop(n)
	}
	switch {
	case r.state&addedAgain != 0:
		r.state &^= addedAgain
		q.addedAgain.Add(-1)
		if r.state&delayed != 0 {
			r.nextPriority = max(r.nextPriority, r.priority)
		}
		q.enqueue(n, r.nextPriority)
	case r.state == 0:
		q.items.remove(n)
	}
	if q.drained != nil && q.idle() {
		q.releaseDrainers()
	}
	return worked, q.shuttingDown, true
}

// Len returns the number of waiting items. Items that are being processed and
// delayed items are not counted.
func (q *Typed[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.queue.len()
}

// timestamp returns the current time, or 0 if times are not recorded.
func (q *Typed[T]) timestamp() int64 {
	if !q.recordTimes {
		return 0
	}
	return q.clock.now()
}
