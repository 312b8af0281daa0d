package workqueue

import "k8s.io/utils/clock"

// TypedRateLimitingInterface is a queue with a memory of failures.
type TypedRateLimitingInterface[T comparable] interface {
	TypedDelayingInterface[T]

	// AddRateLimited adds the item after the delay that the rate limiter
	// gives it.
	AddRateLimited(item T)
	// Forget tells the rate limiter that the item has succeeded, or that
	// nobody will try again. It is not Done: that is still due.
	Forget(item T)
	// NumRequeues is how often the rate limiter has delayed the item since
	// it last forgot it.
	NumRequeues(item T) int
}

// TypedRateLimitingQueueConfig configures
// [NewTypedRateLimitingQueueWithConfig]. Its zero value is the default.
type TypedRateLimitingQueueConfig[T comparable] struct {
	// Name labels the metrics. Empty: there are none.
	Name string

	// MetricsProvider makes the metrics. Nil: the one given to SetProvider.
	MetricsProvider MetricsProvider

	// Clock is for tests with a clock of their own. Nil: the real time.
	Clock clock.WithTicker

	// DelayingQueue is the queue to which the items are added. Nil: a new
	// one, with the fields above, which are not used otherwise.
	DelayingQueue TypedDelayingInterface[T]
}

// NewTypedRateLimitingQueue makes a rate limiting queue without metrics. A
// nil rate limiter is [DefaultTypedControllerRateLimiter].
//
// Call Forget when an item has succeeded: what is not forgotten is
// remembered for good.
func NewTypedRateLimitingQueue[T comparable](rateLimiter TypedRateLimiter[T]) TypedRateLimitingInterface[T] {
	return NewTypedRateLimitingQueueWithConfig(rateLimiter, TypedRateLimitingQueueConfig[T]{})
}

// NewTypedRateLimitingQueueWithConfig makes a rate limiting queue. See
// [NewTypedRateLimitingQueue].
func NewTypedRateLimitingQueueWithConfig[T comparable](rateLimiter TypedRateLimiter[T], config TypedRateLimitingQueueConfig[T]) TypedRateLimitingInterface[T] {
	queue := config.DelayingQueue
	if queue == nil {
		queue = NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[T]{
			Name:            config.Name,
			MetricsProvider: config.MetricsProvider,
			Clock:           config.Clock,
		})
	}
	return &rateLimiting[T]{queue, orDefault(rateLimiter)}
}

func orDefault[T comparable](limiter TypedRateLimiter[T]) TypedRateLimiter[T] {
	if limiter == nil {
		return DefaultTypedControllerRateLimiter[T]()
	}
	return limiter
}

type rateLimiting[T comparable] struct {
	TypedDelayingInterface[T]
	limiter TypedRateLimiter[T] // called without any lock of the queue's
}

var _ TypedRateLimitingInterface[int] = (*rateLimiting[int])(nil)

// AddRateLimited implements TypedRateLimitingInterface.
func (q *rateLimiting[T]) AddRateLimited(item T) { q.AddAfter(item, q.limiter.When(item)) }

// Forget implements TypedRateLimitingInterface.
func (q *rateLimiting[T]) Forget(item T) { q.limiter.Forget(item) }

// NumRequeues implements TypedRateLimitingInterface.
func (q *rateLimiting[T]) NumRequeues(item T) int { return q.limiter.NumRequeues(item) }
