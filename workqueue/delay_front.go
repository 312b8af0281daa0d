package workqueue

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// delayFront stores delayed items in front of a queue that is not a Typed or
// uses another clock, and adds them to the queue when they are due.
type delayFront[T comparable] struct {
	TypedInterface[T] // called without mu
	clock             monotonicClock
	retries           CounterMetric // nil if the queue has no metrics

	mu           sync.Mutex
	shuttingDown bool
	items        table[T, record[T]] // the delayed items
	delays       delayHeap[T]
}

var _ TypedDelayingInterface[int] = (*delayFront[int])(nil)

func newDelayFront[T comparable](queue TypedInterface[T], c clock.WithTicker, retries CounterMetric) *delayFront[T] {
	q := &delayFront[T]{TypedInterface: queue, clock: newMonotonicClock(c), retries: retries}
	q.items.init()
	q.delays.timer = newDeadlineTimer(q.clock.clock, q.addDue)
	return q
}

// AddAfter implements TypedDelayingInterface.
func (q *delayFront[T]) AddAfter(item T, duration time.Duration) {
	if item != item || q.ShuttingDown() {
		return
	}
	if q.retries != nil {
		q.retries.Inc()
	}
	if duration <= 0 {
		q.Add(item)
		return
	}
	hash, now := q.items.hash(item), q.clock.now()
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.shuttingDown {
		q.delays.add(q.items.findOrAdd(hash, item), now, addSaturating(now, duration))
	}
}

// ShutDown drops the delayed items and shuts the queue down.
func (q *delayFront[T]) ShutDown() {
	q.close()
	q.TypedInterface.ShutDown()
}

// ShutDownWithDrain drops the delayed items and drains the queue.
func (q *delayFront[T]) ShutDownWithDrain() {
	q.close()
	q.TypedInterface.ShutDownWithDrain()
}

func (q *delayFront[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.shuttingDown = true
	q.delays.clear(q.items.remove)
}

// addDue adds the due items to the queue. If the underlying queue was shut down
// directly, it drops all delayed items.
func (q *delayFront[T]) addDue() {
	if q.ShuttingDown() {
		q.close()
		return
	}
	for {
		due := q.takeDue()
		if len(due) == 0 {
			return
		}
		for _, item := range due {
			q.Add(item)
		}
	}
}

// takeDue removes and returns up to dueBatch due items. If no due item is left,
// it sets the timer.
func (q *delayFront[T]) takeDue() (due []T) {
	now := q.clock.now()
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(due) < dueBatch {
		n := q.delays.pop(now)
		if n == nil {
			q.delays.resetTimer(now)
			break
		}
		due = append(due, n.item)
		q.items.remove(n)
	}
	return due
}
