package workqueue

import (
	"time"

	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// TypedDelayingInterface is a queue to which items can be added later.
type TypedDelayingInterface[T comparable] interface {
	TypedInterface[T]
	// AddAfter adds the item when the duration has passed, never earlier,
	// and returns at once. A duration of 0 or less is Add. Of several
	// delays of an item the one that ends first counts, and the others are
	// forgotten; an Add meanwhile does not end a delay. A shutdown does.
	AddAfter(item T, duration time.Duration)
}

// TypedDelayingQueueConfig configures [NewTypedDelayingQueueWithConfig]. Its
// zero value is the default.
type TypedDelayingQueueConfig[T comparable] struct {
	// Logger is accepted so that client-go's configs compile. This queue
	// has nothing to log.
	Logger *klog.Logger

	// Name labels the metrics. Empty: there are none.
	Name string

	// MetricsProvider makes the metrics. Nil: the one given to SetProvider.
	MetricsProvider MetricsProvider

	// Clock is for tests with a clock of their own. Nil: the real time or,
	// with a Queue that is a Typed, that queue's own clock.
	Clock clock.WithTicker

	// Queue is the queue to which the items are added. Nil: a new one. Any
	// TypedInterface will do; a Typed is the fastest, since it keeps its
	// delayed items itself.
	Queue TypedInterface[T]
}

// NewTypedDelayingQueue makes a delaying queue without metrics.
func NewTypedDelayingQueue[T comparable]() TypedDelayingInterface[T] {
	return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[T]{})
}

// NewTypedDelayingQueueWithConfig makes a delaying queue.
func NewTypedDelayingQueueWithConfig[T comparable](config TypedDelayingQueueConfig[T]) TypedDelayingInterface[T] {
	retries := newRetries(config.Name, config.MetricsProvider)
	queue := config.Queue
	if queue == nil {
		queue = NewTypedWithConfig(TypedQueueConfig[T]{
			Name:            config.Name,
			MetricsProvider: config.MetricsProvider,
			Clock:           config.Clock,
		})
		config.Clock = nil // the queue has it
	}
	if own, ok := queue.(*Typed[T]); ok && own != nil && config.Clock == nil {
		return &delaying[T]{own, retries}
	}
	return newOutpost(queue, config.Clock, retries)
}

// delaying shows what a Typed can do with delays.
type delaying[T comparable] struct {
	*Typed[T]
	retries CounterMetric // nil: nobody counts
}

var _ TypedDelayingInterface[int] = (*delaying[int])(nil)

// AddAfter implements TypedDelayingInterface. It counts as a retry whatever
// the duration.
func (q *delaying[T]) AddAfter(item T, duration time.Duration) {
	open := q.addAfter(item, duration)
	if open && q.retries != nil {
		q.retries.Inc()
	}
}

// addAfter reports whether the queue is still open.
func (q *Typed[T]) addAfter(item T, duration time.Duration) bool {
	if item != item {
		return false
	}
	fresh, open := q.delay(item, q.items.hash(item), q.clock.now(), duration)
	if fresh && q.meter != nil {
		q.meter.added(1)
	}
	return open
}

func (q *Typed[T]) delay(item T, hash uint64, now int64, duration time.Duration) (fresh, open bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.shut {
		return false, false
	}
	n := q.items.findOrAdd(hash, item)
	if duration > 0 {
		q.delays.add(n, now, later(now, duration))
		return false, true
	}
	// An item that is known keeps its priority, as it does when it comes
	// back from a delay.
	return q.admit(n, n.val.rank, now), true
}

// moveBatch bounds how long a flood of due items keeps the lock from the
// workers.
const moveBatch = 1024

// deliver adds the items whose delay has ended. It is what the alarm rings.
func (q *Typed[T]) deliver() {
	for more := true; more; {
		var fresh int
		fresh, more = q.deliverSome()
		if fresh > 0 && q.meter != nil {
			q.meter.added(fresh)
		}
	}
}

func (q *Typed[T]) deliverSome() (fresh int, more bool) {
	now := q.clock.now()
	q.mu.Lock()
	defer q.mu.Unlock()
	for range moveBatch {
		n := q.delays.pop(now)
		if n == nil {
			q.delays.rearm(now)
			return fresh, false
		}
		if q.admit(n, n.val.rank, now) {
			fresh++
		}
	}
	return fresh, true
}
