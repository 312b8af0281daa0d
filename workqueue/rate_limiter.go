package workqueue

import (
	"time"

	"golang.org/x/time/rate"
)

// TypedRateLimiter decides how long a failed item waits for its next try. It
// may be called by many workers at once.
type TypedRateLimiter[T comparable] interface {
	// When counts a failure of the item and returns how long it shall wait.
	When(item T) time.Duration
	// Forget ends the count of the item's failures.
	Forget(item T)
	// NumRequeues is the number of failures counted for the item.
	NumRequeues(item T) int
}

// DefaultTypedControllerRateLimiter is the usual choice: each item waits 5 ms
// after its first failure and twice as long after each further one, up to
// 1000 s, and all together are tried again ten times a second, in bursts of
// a hundred.
//
// The second part has no upper bound: behind a burst of thousands an item
// waits for minutes. [NewTypedWithMaxWaitRateLimiter] bounds it.
func DefaultTypedControllerRateLimiter[T comparable]() TypedRateLimiter[T] {
	return NewTypedMaxOfRateLimiter(
		NewTypedItemExponentialFailureRateLimiter[T](5*time.Millisecond, 1000*time.Second),
		&TypedBucketRateLimiter[T]{Limiter: rate.NewLimiter(10, 100)},
	)
}

// DefaultTypedItemBasedRateLimiter is one that looks only at the item's own
// failures: 1 ms after the first, twice as long after each further one, up
// to 1000 s.
func DefaultTypedItemBasedRateLimiter[T comparable]() TypedRateLimiter[T] {
	return NewTypedItemExponentialFailureRateLimiter[T](time.Millisecond, 1000*time.Second)
}

// TypedBucketRateLimiter is a token bucket for all items together. It counts
// no failures. Without a Limiter it limits nothing.
type TypedBucketRateLimiter[T comparable] struct {
	*rate.Limiter
}

var _ TypedRateLimiter[int] = (*TypedBucketRateLimiter[int])(nil)

// When takes a token from the bucket and returns how long it will be until
// that token is there.
func (r *TypedBucketRateLimiter[T]) When(item T) time.Duration {
	if r.Limiter == nil {
		return 0
	}
	now := time.Now()
	return r.ReserveN(now, 1).DelayFrom(now)
}

// NumRequeues is 0.
func (r *TypedBucketRateLimiter[T]) NumRequeues(item T) int { return 0 }

// Forget does nothing: a token taken is taken.
func (r *TypedBucketRateLimiter[T]) Forget(item T) {}

// TypedMaxOfRateLimiter asks several rate limiters and takes the longest
// delay. Each of them counts each failure: a bucket loses a token also when
// another limiter had the last word.
type TypedMaxOfRateLimiter[T comparable] struct {
	limiters []TypedRateLimiter[T] // none is nil
}

var _ TypedRateLimiter[int] = (*TypedMaxOfRateLimiter[int])(nil)

// NewTypedMaxOfRateLimiter makes a TypedMaxOfRateLimiter. Limiters that are
// nil are left out; with none left, nothing is delayed.
func NewTypedMaxOfRateLimiter[T comparable](limiters ...TypedRateLimiter[T]) TypedRateLimiter[T] {
	r := new(TypedMaxOfRateLimiter[T])
	for _, l := range limiters {
		if l != nil {
			r.limiters = append(r.limiters, l)
		}
	}
	return r
}

// When returns the longest of the delays; it is never negative.
func (r *TypedMaxOfRateLimiter[T]) When(item T) time.Duration {
	longest := time.Duration(0)
	for _, l := range r.limiters {
		longest = max(longest, l.When(item))
	}
	return longest
}

// NumRequeues returns the highest of the counts.
func (r *TypedMaxOfRateLimiter[T]) NumRequeues(item T) int {
	most := 0
	for _, l := range r.limiters {
		most = max(most, l.NumRequeues(item))
	}
	return most
}

// Forget tells all of them.
func (r *TypedMaxOfRateLimiter[T]) Forget(item T) {
	for _, l := range r.limiters {
		l.Forget(item)
	}
}

// TypedWithMaxWaitRateLimiter bounds the delays of another rate limiter. A
// bucket so bounded is one no longer: what would wait longer is tried more
// often than the bucket allows.
type TypedWithMaxWaitRateLimiter[T comparable] struct {
	limiter  TypedRateLimiter[T] // nil: nothing is delayed
	maxDelay time.Duration
}

var _ TypedRateLimiter[int] = TypedWithMaxWaitRateLimiter[int]{}

// NewTypedWithMaxWaitRateLimiter makes a TypedWithMaxWaitRateLimiter. With a
// limiter that is nil nothing is delayed.
func NewTypedWithMaxWaitRateLimiter[T comparable](limiter TypedRateLimiter[T], maxDelay time.Duration) TypedRateLimiter[T] {
	return &TypedWithMaxWaitRateLimiter[T]{limiter, maxDelay}
}

// When returns the limiter's delay, or the longest allowed.
func (w TypedWithMaxWaitRateLimiter[T]) When(item T) time.Duration {
	if w.limiter == nil {
		return 0
	}
	return min(w.limiter.When(item), w.maxDelay)
}

// Forget tells the limiter.
func (w TypedWithMaxWaitRateLimiter[T]) Forget(item T) {
	if w.limiter != nil {
		w.limiter.Forget(item)
	}
}

// NumRequeues asks the limiter.
func (w TypedWithMaxWaitRateLimiter[T]) NumRequeues(item T) int {
	if w.limiter == nil {
		return 0
	}
	return w.limiter.NumRequeues(item)
}
