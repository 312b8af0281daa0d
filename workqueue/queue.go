package workqueue

import (
	"sync"

	"k8s.io/utils/clock"
)

// TypedInterface is the queue as its users see it.
type TypedInterface[T comparable] interface {
	// Add puts the item in line, unless it is there. An item in work is put
	// in line at its Done. After shutdown nothing is added.
	Add(item T)
	// Len is the number of items in line. It has changed by the time you
	// look at it: decide nothing by it.
	Len() int
	// Get waits for an item. With shutdown, there is none and never will
	// be: the worker ends. Every item MUST be given back with Done.
	Get() (item T, shutdown bool)
	// Done ends the work on an item. Done of an item that is not in work
	// does nothing.
	Done(item T)
	// ShutDown ends the adding, and returns at once. Workers still get what
	// is in line, then the shutdown signal.
	ShutDown()
	// ShutDownWithDrain is ShutDown, and waits until everything in line and
	// in work is done. Any number of callers may wait. A ShutDown sends
	// them home.
	ShutDownWithDrain()
	// ShuttingDown reports whether the queue has been shut down.
	ShuttingDown() bool
}

// TypedQueueConfig configures [NewTypedWithConfig]. Its zero value is the
// default.
type TypedQueueConfig[T comparable] struct {
	// Name labels the metrics. Empty: there are none.
	Name string

	// MetricsProvider makes the metrics. Nil: the one given to SetProvider.
	MetricsProvider MetricsProvider

	// Clock is for tests with a clock of their own. Nil: the real time,
	// which testing/synctest can fake. Its methods are called under the
	// queue's lock.
	Clock clock.WithTicker

	// Queue is the order of waiting items. Nil: first come, first served.
	Queue Queue[T]
}

// Typed is the queue. Make it with [NewTyped] or [NewTypedWithConfig].
type Typed[T comparable] struct {
	clock timepiece
	meter *meter[T] // nil: nobody measures
	timed bool      // moments are noted on the items: for the meter, or for the ageing

	mu      sync.Mutex
	items   table[T, record[T]] // every item that is waiting, working or delayed; no other
	line    line[T]             // the waiting ones
	working int                 // how many are in work
	again   int                 // how many of those have been added again
	delays  delays[T]           // the delayed ones; used by the delaying queue alone

	cond    sync.Cond // for workers without an item; on mu
	waiters int       // how many wait on cond
	waking  bool      // one of them has been woken and has not yet looked

	shut    bool          // no way back
	drained chan struct{} // not nil while somebody waits for the drain; its close ends the wait
}

var _ TypedInterface[int] = (*Typed[int])(nil)

// NewTyped makes a queue without metrics.
func NewTyped[T comparable]() *Typed[T] {
	return NewTypedWithConfig(TypedQueueConfig[T]{})
}

// NewTypedWithConfig makes a queue.
func NewTypedWithConfig[T comparable](config TypedQueueConfig[T]) *Typed[T] {
	return newTyped(config, nil)
}

// newTyped makes a queue with the given line or, if that is nil, with the
// one that the config asks for.
func newTyped[T comparable](config TypedQueueConfig[T], order line[T]) *Typed[T] {
	q := &Typed[T]{clock: newTimepiece(config.Clock)}
	q.items.init()
	q.cond.L = &q.mu
	q.delays.alarm = newAlarm(q.clock.clock, q.deliver)
	q.meter = newMeter(q, config.Name, config.MetricsProvider)
	q.timed = q.meter != nil || order != nil
	switch {
	case order != nil:
		q.line = order
	case config.Queue != nil:
		q.line = &custom[T]{config.Queue, &q.items}
	default:
		q.line = new(fifo[T])
	}
	return q
}

// Add puts the item in line, unless it is there already. An item in work is
// noted, however often it is added, and put in line once, at its Done. After
// shutdown Add does nothing.
//
// An item that is not equal to itself (a NaN) could never be found again to
// be Done: it is not added. One that cannot be hashed, which takes a T that
// is an interface, panics as it would as the key of a map, and leaves the
// queue as it was.
func (q *Typed[T]) Add(item T) { q.add(item, 0) }

func (q *Typed[T]) add(item T, priority int32) {
	if item != item {
		return
	}
	fresh := q.admitItem(item, q.items.hash(item), priority, q.moment())
	if fresh && q.meter != nil {
		q.meter.added(1)
	}
}

func (q *Typed[T]) admitItem(item T, hash uint64, priority int32, now int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.shut && q.admit(q.items.findOrAdd(hash, item), priority, now)
}

// admit lets an item into the line, or notes that it must come back. It
// reports whether that is news.
func (q *Typed[T]) admit(n *entry[T], priority int32, now int64) bool {
	r := &n.val
	switch {
	case r.state&waiting != 0:
		q.line.touch(n, priority)
		return false
	case r.state&again != 0:
		r.then = max(r.then, priority)
		return false
	case r.state&working != 0:
		r.state |= again
		r.then = priority
		q.again++
	case r.state&delayed != 0:
		q.enqueue(n, max(r.rank, priority))
	default:
		q.enqueue(n, priority)
	}
	r.added = now
	return true
}

func (q *Typed[T]) enqueue(n *entry[T], priority int32) {
	n.val.state |= waiting
	n.val.rank = priority
	q.line.push(n)
	q.wake()
}

// wake sees to it that a worker comes for what is in line. Workers wake each
// other one by one, each as it leaves with its own item: many items added at
// once do not wake many workers to find that the first ones took it all.
//
// Invariant: while items are in line and workers wait, waking is true.
func (q *Typed[T]) wake() {
	if q.waiters > 0 && !q.waking {
		q.waking = true
		q.cond.Signal()
	}
}

// Get waits until there is an item and hands it out, to no other worker
// until its Done. When the queue has been shut down and the line is empty it
// returns the zero item and true.
//
// During a drain it does not send workers home while an item in work waits
// to come back: somebody has to take it.
func (q *Typed[T]) Get() (item T, shutdown bool) {
	item, waited, ok := q.next()
	if ok && q.meter != nil {
		q.meter.got(waited)
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
	r.state = r.state&^waiting | working
	q.working++
	if q.meter != nil {
		r.started = now
		q.meter.start(n)
	}
	return n.item, now - r.added, true
}

// pop waits for an entry and takes it out of the line. It returns nil when
// the worker shall go home.
func (q *Typed[T]) pop() (n *entry[T], now int64) {
	for {
		for q.line.len() == 0 {
			if q.finished() {
				return nil, 0
			}
			q.waiters++
			q.cond.Wait()
			q.waiters--
			q.waking = false
		}
		now = q.moment()
		n = q.line.pop(now)
		switch {
		case q.line.len() > 0:
			q.wake()
		case q.waiters > 0 && q.finished():
			q.cond.Broadcast()
		}
		if n.val.state&working == 0 {
			return n, now
		}
		// Only a Queue of the user's that returns an item twice gets here.
		// The item is not handed out twice.
		q.admit(n, n.val.rank, now)
	}
}

// finished reports whether a worker who finds the line empty shall go home.
func (q *Typed[T]) finished() bool { return q.shut && (q.drained == nil || q.again == 0) }

// Done ends the work on the item. If it was added meanwhile it is put in
// line again. Done of an item that is not in work, so also a second Done,
// does nothing. (A second Done that comes after another worker has got the
// item ends that worker's work: the queue cannot tell the two apart.)
func (q *Typed[T]) Done(item T) {
	worked, publish, ok := q.finish(item, q.items.hash(item))
	if ok && q.meter != nil {
		q.meter.done(worked)
		if publish {
			q.meter.publish()
		}
	}
}

// finish reports how long the work took, and whether the gauges must be
// brought up to date because no alarm will do it.
func (q *Typed[T]) finish(item T, hash uint64) (worked int64, publish, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.items.find(hash, item)
	if n == nil || n.val.state&working == 0 {
		return 0, false, false
	}
	r := &n.val
	r.state &^= working
	q.working--
	if q.meter != nil {
		worked = q.clock.now() - r.started
		q.meter.stop(n)
	}
	switch {
	case r.state&again != 0:
		r.state &^= again
		q.again--
		if r.state&delayed != 0 {
			r.then = max(r.then, r.rank)
		}
		q.enqueue(n, r.then)
	case r.state == 0:
		q.items.remove(n)
	}
	if q.drained != nil && q.idle() {
		q.release()
	}
	return worked, q.shut, true
}

// Len is the number of items in line, for information. Items in work and
// delayed ones are not counted.
func (q *Typed[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.line.len()
}

// moment is the time where it is noted, and 0 where nobody will ask.
func (q *Typed[T]) moment() int64 {
	if !q.timed {
		return 0
	}
	return q.clock.now()
}
