package workqueue

import (
	"time"

	"golang.org/x/time/rate"
)

// TypedRateLimiter computes the delay before a failed item is retried. It is
// called concurrently.
type TypedRateLimiter[T comparable] interface {
	// When counts a failure of the item and returns its delay.
	When(item T) time.Duration
	// Forget resets the number of failures of the item.
	Forget(item T)
	// NumRequeues returns the number of failures counted for the item.
	NumRequeues(item T) int
}

// DefaultTypedControllerRateLimiter returns the usual rate limiter of a
// controller. The delay of each item is 5 ms after its first failure and
// doubles with each further one, up to 1000 s. In addition, all items together
// are limited to ten retries per second, with bursts of a hundred.
//
// The overall limit has no maximum delay: after a burst of thousands, an item
// waits for minutes. [NewTypedWithMaxWaitRateLimiter] bounds the delay.
func DefaultTypedControllerRateLimiter[T comparable]() TypedRateLimiter[T] {
	return NewTypedMaxOfRateLimiter(
		NewTypedItemExponentialFailureRateLimiter[T](5*time.Millisecond, 1000*time.Second),
		&TypedBucketRateLimiter[T]{Limiter: rate.NewLimiter(10, 100)},
	)
}

// DefaultTypedItemBasedRateLimiter returns a rate limiter that considers only
// the failures of the item: 1 ms after the first, doubled with each further
// one, up to 1000 s.
func DefaultTypedItemBasedRateLimiter[T comparable]() TypedRateLimiter[T] {
	return NewTypedItemExponentialFailureRateLimiter[T](time.Millisecond, 1000*time.Second)
}

// TypedBucketRateLimiter is a token bucket that all items share. It does not
// count failures. Without a Limiter there is no delay.
type TypedBucketRateLimiter[T comparable] struct {
	*rate.Limiter
}

var _ TypedRateLimiter[int] = (*TypedBucketRateLimiter[int])(nil)

// When takes a token from the bucket and returns the time until that token is
// available.
func (r *TypedBucketRateLimiter[T]) When(item T) time.Duration {
	if r.Limiter == nil {
		return 0
	}
	now := time.Now()
	return r.ReserveN(now, 1).DelayFrom(now)
}

// NumRequeues returns 0.
func (r *TypedBucketRateLimiter[T]) NumRequeues(item T) int { return 0 }

// Forget does nothing. Tokens are not returned to the bucket.
func (r *TypedBucketRateLimiter[T]) Forget(item T) {}

// TypedMaxOfRateLimiter combines several rate limiters and uses the longest
// delay. Each of them counts each failure: a bucket loses a token even if
// another limiter returned the longest delay.
type TypedMaxOfRateLimiter[T comparable] struct {
	limiters []TypedRateLimiter[T] // none is nil
}

var _ TypedRateLimiter[int] = (*TypedMaxOfRateLimiter[int])(nil)

// NewTypedMaxOfRateLimiter returns a TypedMaxOfRateLimiter. Nil limiters are
// ignored. Without any limiter there is no delay.
func NewTypedMaxOfRateLimiter[T comparable](limiters ...TypedRateLimiter[T]) TypedRateLimiter[T] {
	r := new(TypedMaxOfRateLimiter[T])
	for _, l := range limiters {
		if l != nil {
			r.limiters = append(r.limiters, l)
		}
	}
	return r
}

// When returns the longest delay. It is never negative.
func (r *TypedMaxOfRateLimiter[T]) When(item T) time.Duration {
	longest := time.Duration(0)
	for _, l := range r.limiters {
		longest = max(longest, l.When(item))
	}
	return longest
}

// NumRequeues returns the highest number of failures that a limiter has
// counted.
func (r *TypedMaxOfRateLimiter[T]) NumRequeues(item T) int {
	most := 0
	for _, l := range r.limiters {
		most = max(most, l.NumRequeues(item))
	}
	return most
}

// Forget calls Forget of all limiters.
func (r *TypedMaxOfRateLimiter[T]) Forget(item T) {
	for _, l := range r.limiters {
		l.Forget(item)
	}
}

// TypedWithMaxWaitRateLimiter bounds the delays of another rate limiter.
// Bounding a bucket means that items are retried more often than the bucket
// allows.
type TypedWithMaxWaitRateLimiter[T comparable] struct {
	limiter  TypedRateLimiter[T] // nil: no delay
	maxDelay time.Duration
}

var _ TypedRateLimiter[int] = TypedWithMaxWaitRateLimiter[int]{}

// NewTypedWithMaxWaitRateLimiter returns a TypedWithMaxWaitRateLimiter. With a
// nil limiter there is no delay.
func NewTypedWithMaxWaitRateLimiter[T comparable](limiter TypedRateLimiter[T], maxDelay time.Duration) TypedRateLimiter[T] {
	return &TypedWithMaxWaitRateLimiter[T]{limiter, maxDelay}
}

// When returns the delay of the limiter, at most the maximum.
func (w TypedWithMaxWaitRateLimiter[T]) When(item T) time.Duration {
	if w.limiter == nil {
		return 0
	}
	return min(w.limiter.When(item), w.maxDelay)
}

// Forget calls Forget of the limiter.
func (w TypedWithMaxWaitRateLimiter[T]) Forget(item T) {
	if w.limiter != nil {
		w.limiter.Forget(item)
	}
}

// NumRequeues calls NumRequeues of the limiter.
func (w TypedWithMaxWaitRateLimiter[T]) NumRequeues(item T) int {
	if w.limiter == nil {
		return 0
	}
	return w.limiter.NumRequeues(item)
}
