package workqueue

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// outpost keeps delayed items in front of a queue that is not ours, or not
// on our clock, and hands them over when they are due.
type outpost[T comparable] struct {
	TypedInterface[T] // called without our lock
	clock             timepiece
	retries           CounterMetric // nil: nobody counts

	mu     sync.Mutex
	shut   bool
	items  table[T, record[T]] // the delayed ones
	delays delays[T]
}

var _ TypedDelayingInterface[int] = (*outpost[int])(nil)

func newOutpost[T comparable](queue TypedInterface[T], c clock.WithTicker, retries CounterMetric) *outpost[T] {
	q := &outpost[T]{TypedInterface: queue, clock: newTimepiece(c), retries: retries}
	q.items.init()
	q.delays.alarm = newAlarm(q.clock.clock, q.deliver)
	return q
}

// AddAfter implements TypedDelayingInterface.
func (q *outpost[T]) AddAfter(item T, duration time.Duration) {
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
	if !q.shut {
		q.delays.add(q.items.findOrAdd(hash, item), now, later(now, duration))
	}
}

// ShutDown drops what is delayed and shuts the queue down.
func (q *outpost[T]) ShutDown() {
	q.close()
	q.TypedInterface.ShutDown()
}

// ShutDownWithDrain drops what is delayed and drains the queue.
func (q *outpost[T]) ShutDownWithDrain() {
	q.close()
	q.TypedInterface.ShutDownWithDrain()
}

func (q *outpost[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.shut = true
	q.delays.clear(q.items.remove)
}

// deliver hands over what is due. If the queue was shut down behind our
// back, nothing will be due any more.
func (q *outpost[T]) deliver() {
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

// takeDue takes out some of what is due, and sets the alarm if that is all.
func (q *outpost[T]) takeDue() (due []T) {
	now := q.clock.now()
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(due) < moveBatch {
		n := q.delays.pop(now)
		if n == nil {
			q.delays.rearm(now)
			break
		}
		due = append(due, n.item)
		q.items.remove(n)
	}
	return due
}
