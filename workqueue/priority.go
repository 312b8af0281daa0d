package workqueue

import (
	"math"
	"time"

	"k8s.io/utils/clock"
)

// defaultAge is how long an item of a [Priority] queue waits, unless
// configured otherwise, before its priority no longer matters.
const defaultAge = 10 * time.Second

// PriorityConfig configures [NewPriority]. Its zero value is the default.
type PriorityConfig[T comparable] struct {
	// RateLimiter is asked by AddRateLimited. Nil: the one of
	// DefaultTypedControllerRateLimiter.
	RateLimiter TypedRateLimiter[T]

	// Age is how long an item waits before it is overdue. 0: ten seconds.
	// Negative: an item is overdue at once, so that every fourth Get is
	// first come, first served.
	Age time.Duration

	// Name labels the metrics. Empty: there are none.
	Name string

	// MetricsProvider makes the metrics. Nil: the one given to SetProvider.
	MetricsProvider MetricsProvider

	// Clock is for tests with a clock of their own. Nil: the real time.
	Clock clock.WithTicker
}

// Priority is a [TypedRateLimitingInterface] whose items have priorities,
// and age.
//
// Get hands out the item with the highest priority; among equals, first
// come, first served. An item that has stood in line for Age is overdue (one
// that was added while it was in work comes into line at its Done), and when the
// first to have come into line is, every fourth Get hands that out, whatever its
// priority. So a flood of high priority takes three
// quarters of the workers from the rest, never all, and an item that came
// when n others were waiting is handed out
//
//	after Age and at most 4(n+1) Gets,
//
// whatever its priority and whatever else is added.
//
// Add is AddWithPriority with priority 0. AddAfter and AddRateLimited keep
// the priority with which the item is waiting or in work, so a retry comes
// back in the class of the first try; for other items it is 0, also if they are
// added with a lower one while they are delayed. Adding an
// item that is in line raises its priority and never lowers it; its age
// stays.
//
// Priorities should be few, like log levels: one that a waiting item has
// costs the others a little.
type Priority[T comparable] struct {
	rateLimiting[T]
	queue *Typed[T]
}

var _ TypedRateLimitingInterface[int] = (*Priority[int])(nil)

// NewPriority makes a priority queue.
func NewPriority[T comparable](config PriorityConfig[T]) *Priority[T] {
	if config.Age == 0 {
		config.Age = defaultAge
	}
	queue := newTyped(TypedQueueConfig[T]{
		Name:            config.Name,
		MetricsProvider: config.MetricsProvider,
		Clock:           config.Clock,
	}, &ranks[T]{age: int64(config.Age)})
	return &Priority[T]{
		rateLimiting: rateLimiting[T]{
			&delaying[T]{queue, newRetries(config.Name, config.MetricsProvider)},
			orDefault(config.RateLimiter),
		},
		queue: queue,
	}
}

// AddWithPriority is Add with a priority: the higher is handed out first.
// Priorities beyond those of an int32 count as the nearest one.
func (q *Priority[T]) AddWithPriority(item T, priority int) {
	q.queue.add(item, int32(min(max(priority, math.MinInt32), math.MaxInt32)))
}
