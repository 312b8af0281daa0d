package workqueue

import (
	"time"

	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// TypedDelayingInterface is a queue to which items can be added after a delay.
type TypedDelayingInterface[T comparable] interface {
	TypedInterface[T]
	// AddAfter adds the item after the duration has passed, never earlier, and
	// returns immediately. A duration of 0 or less is the same as Add. If an
	// item is delayed several times, only the delay that ends first takes
	// effect. An Add does not cancel a delay; a shutdown does.
	AddAfter(item T, duration time.Duration)
}

// TypedDelayingQueueConfig configures [NewTypedDelayingQueueWithConfig]. Its
// zero value is the default.
type TypedDelayingQueueConfig[T comparable] struct {
	// Logger exists so that client-go's configurations compile. This queue logs
	// nothing.
	Logger *klog.Logger

	// Name labels the metrics. If it is empty, the queue has no metrics.
	Name string

	// MetricsProvider creates the metrics. If nil, the provider set by
	// SetProvider is used.
	MetricsProvider MetricsProvider

	// Clock replaces the real clock in tests. If nil, the real clock is used
	// or, if Queue is a Typed, the clock of that queue.
	Clock clock.WithTicker

	// Queue is the underlying queue. If nil, a new one is created. Any
	// TypedInterface works; a Typed is fastest because it stores delayed items
	// itself.
	Queue TypedInterface[T]
}

// NewTypedDelayingQueue returns a delaying queue without metrics.
func NewTypedDelayingQueue[T comparable]() TypedDelayingInterface[T] {
	return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[T]{})
}

// NewTypedDelayingQueueWithConfig returns a delaying queue.
func NewTypedDelayingQueueWithConfig[T comparable](config TypedDelayingQueueConfig[T]) TypedDelayingInterface[T] {
	retries := newRetries(config.Name, config.MetricsProvider)
	queue := config.Queue
	if queue == nil {
		queue = NewTypedWithConfig(TypedQueueConfig[T]{
			Name:            config.Name,
			MetricsProvider: config.MetricsProvider,
			Clock:           config.Clock,
		})
		config.Clock = nil // the queue already uses it
	}
	if typed, ok := queue.(*Typed[T]); ok && typed != nil && config.Clock == nil {
		return &delayingQueue[T]{typed, retries}
	}
	return newDelayFront(queue, config.Clock, retries)
}

// delayingQueue adds AddAfter to a Typed, which stores the delayed items
// itself.
type delayingQueue[T comparable] struct {
	*Typed[T]
	retries CounterMetric // nil if the queue has no metrics
}

var _ TypedDelayingInterface[int] = (*delayingQueue[int])(nil)

// AddAfter implements TypedDelayingInterface. Every call counts as a retry,
// whatever the duration.
func (q *delayingQueue[T]) AddAfter(item T, duration time.Duration) {
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
	if fresh && q.metrics != nil {
		q.metrics.added(1)
	}
	return open
}

func (q *Typed[T]) delay(item T, hash uint64, now int64, duration time.Duration) (fresh, open bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.shuttingDown {
		return false, false
	}
	n := q.items.findOrAdd(hash, item)
	if duration > 0 {
		q.delays.add(n, now, addSaturating(now, duration))
		return false, true
	}
	// A known item keeps its priority, as it does when its delay ends.
	return q.admit(n, n.val.priority, now), true
}

// dueBatch is the number of due items that are added per acquisition of the
// lock, so that many due items do not block the workers.
const dueBatch = 1024

// addDue adds the items whose delay has ended. The timer calls it.
func (q *Typed[T]) addDue() {
	for more := true; more; {
		var fresh int
		fresh, more = q.addDueBatch()
		if fresh > 0 && q.metrics != nil {
			q.metrics.added(fresh)
		}
	}
}

func (q *Typed[T]) addDueBatch() (fresh int, more bool) {
	now := q.clock.now()
	q.mu.Lock()
	defer q.mu.Unlock()
	for range dueBatch {
		n := q.delays.pop(now)
		if n == nil {
			q.delays.resetTimer(now)
			return fresh, false
		}
		if q.admit(n, n.val.priority, now) {
			fresh++
		}
	}
	return fresh, true
}
