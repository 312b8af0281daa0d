package workqueue

import (
	"math"
	"time"

	"k8s.io/utils/clock"
)

// defaultAge is the default of PriorityQueueConfig.Age.
const defaultAge = 10 * time.Second

// PriorityQueueConfig configures [NewPriorityQueue]. Its zero value is the default.
type PriorityQueueConfig[T comparable] struct {
	// RateLimiter computes the delays of AddRateLimited. If nil, it is
	// DefaultTypedControllerRateLimiter.
	RateLimiter TypedRateLimiter[T]

	// Age is the time after which a waiting item is overdue. 0 means ten
	// seconds. If it is negative, items are overdue immediately, so that every
	// fourth Get hands out the item that has waited longest.
	Age time.Duration

	// Name labels the metrics. If it is empty, the queue has no metrics.
	Name string

	// MetricsProvider creates the metrics. If nil, the provider set by
	// SetProvider is used.
	MetricsProvider MetricsProvider

	// Clock replaces the real clock in tests. If nil, the real clock is used.
	Clock clock.WithTicker
}

// PriorityQueue is a [TypedRateLimitingInterface] whose items have priorities and
// age.
//
// Get returns the item with the highest priority; items of equal priority are
// returned in the order of arrival. An item that has waited in the queue for
// Age is overdue. If the item that has waited longest is overdue, every fourth
// Get returns that item, whatever its priority. So a flood of items with high
// priority gets at most three quarters of the workers, and an item that was
// added when n others were waiting is returned
//
//	after Age and at most 4(n+1) Gets,
//
// whatever its priority and whatever else is added. An item that was added
// while it was processed starts to wait at its Done.
//
// Add is AddWithPriority with priority 0. AddAfter and AddRateLimited keep the
// priority with which the item waits or is processed, so a retry has the
// priority of the first attempt. For an item that neither waits nor is
// processed, the priority is 0, even if the item is added with a lower one
// during the delay. Adding an item that already waits can raise its priority
// but never lowers it, and does not change its age.
//
// Use few distinct priorities, like log levels: each priority in use makes
// operations on the others slightly slower.
type PriorityQueue[T comparable] struct {
	rateLimitingQueue[T]
	queue *Typed[T]
}

var _ TypedRateLimitingInterface[int] = (*PriorityQueue[int])(nil)

// NewPriorityQueue returns a priority queue.
func NewPriorityQueue[T comparable](config PriorityQueueConfig[T]) *PriorityQueue[T] {
	if config.Age == 0 {
		config.Age = defaultAge
	}
	queue := newTyped(TypedQueueConfig[T]{
		Name:            config.Name,
		MetricsProvider: config.MetricsProvider,
		Clock:           config.Clock,
	}, &priorityList[T]{age: int64(config.Age)})
	return &PriorityQueue[T]{
		rateLimitingQueue: rateLimitingQueue[T]{
			&delayingQueue[T]{queue, newRetries(config.Name, config.MetricsProvider)},
			orDefault(config.RateLimiter),
		},
		queue: queue,
	}
}

// AddWithPriority adds the item with a priority. Higher priorities are handed
// out first. A priority outside the range of an int32 counts as the nearest
// value in it.
func (q *PriorityQueue[T]) AddWithPriority(item T, priority int) {
	q.queue.add(item, int32(min(max(priority, math.MinInt32), math.MaxInt32)))
}
