package workqueue

import "k8s.io/utils/clock"

// TypedRateLimitingInterface is a queue that retries failed items with a delay.
type TypedRateLimitingInterface[T comparable] interface {
	TypedDelayingInterface[T]

	// AddRateLimited adds the item after the delay that the rate limiter
	// returns.
	AddRateLimited(item T)
	// Forget resets the failures of the item in the rate limiter. Call it when
	// the item has succeeded or is not retried. Done must still be called.
	Forget(item T)
	// NumRequeues returns how often the rate limiter has delayed the item since
	// the last Forget.
	NumRequeues(item T) int
}

// TypedRateLimitingQueueConfig configures
// [NewTypedRateLimitingQueueWithConfig]. Its zero value is the default.
type TypedRateLimitingQueueConfig[T comparable] struct {
	// Name labels the metrics. If it is empty, the queue has no metrics.
	Name string

	// MetricsProvider creates the metrics. If nil, the provider set by
	// SetProvider is used.
	MetricsProvider MetricsProvider

	// Clock replaces the real clock in tests. If nil, the real clock is used.
	Clock clock.WithTicker

	// DelayingQueue is the underlying queue. If nil, a new one is created with
	// the fields above, which are not used otherwise.
	DelayingQueue TypedDelayingInterface[T]
}

// NewTypedRateLimitingQueue returns a rate limiting queue without metrics. A
// nil rate limiter means [DefaultTypedControllerRateLimiter].
//
// Call Forget when an item has succeeded. An item that is never forgotten uses
// memory as long as the queue exists.
func NewTypedRateLimitingQueue[T comparable](rateLimiter TypedRateLimiter[T]) TypedRateLimitingInterface[T] {
	return NewTypedRateLimitingQueueWithConfig(rateLimiter, TypedRateLimitingQueueConfig[T]{})
}

// NewTypedRateLimitingQueueWithConfig returns a rate limiting queue. See
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
	return &rateLimitingQueue[T]{queue, orDefault(rateLimiter)}
}

func orDefault[T comparable](limiter TypedRateLimiter[T]) TypedRateLimiter[T] {
	if limiter == nil {
		return DefaultTypedControllerRateLimiter[T]()
	}
	return limiter
}

type rateLimitingQueue[T comparable] struct {
	TypedDelayingInterface[T]
	limiter TypedRateLimiter[T] // called without a lock of the queue
}

var _ TypedRateLimitingInterface[int] = (*rateLimitingQueue[int])(nil)

// AddRateLimited implements TypedRateLimitingInterface.
func (q *rateLimitingQueue[T]) AddRateLimited(item T) { q.AddAfter(item, q.limiter.When(item)) }

// Forget implements TypedRateLimitingInterface.
func (q *rateLimitingQueue[T]) Forget(item T) { q.limiter.Forget(item) }

// NumRequeues implements TypedRateLimitingInterface.
func (q *rateLimitingQueue[T]) NumRequeues(item T) int { return q.limiter.NumRequeues(item) }
