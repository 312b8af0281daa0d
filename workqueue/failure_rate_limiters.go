package workqueue

import (
	"math/bits"
	"sync"
	"time"
)

// failureCounter counts failures by item. Its zero value is ready to use. An
// item uses memory until it is forgotten.
type failureCounter[T comparable] struct {
	mu     sync.Mutex
	counts table[T, int]
}

// add counts a failure and returns the number of failures before it. A NaN
// always has 0 failures, because its count could not be found again.
func (f *failureCounter[T]) add(item T) int {
	if item != item {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counts.slots == nil {
		f.counts.init()
	}
	n := f.counts.findOrAdd(f.counts.hash(item), item)
	n.val++
	return n.val - 1
}

func (f *failureCounter[T]) count(item T) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counts.count > 0 {
		if n := f.counts.find(f.counts.hash(item), item); n != nil {
			return n.val
		}
	}
	return 0
}

func (f *failureCounter[T]) forget(item T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counts.count > 0 {
		if n := f.counts.find(f.counts.hash(item), item); n != nil {
			f.counts.remove(n)
		}
	}
}

// TypedItemExponentialFailureRateLimiter doubles the delay of an item with each
// failure.
type TypedItemExponentialFailureRateLimiter[T comparable] struct {
	failures  failureCounter[T]
	baseDelay time.Duration
	maxDelay  time.Duration
}

var _ TypedRateLimiter[int] = (*TypedItemExponentialFailureRateLimiter[int])(nil)

// NewTypedItemExponentialFailureRateLimiter returns a rate limiter whose delay
// is baseDelay after the first failure of an item, doubles with each further
// failure, and is at most maxDelay. If baseDelay is 0 or less, there is no
// delay.
func NewTypedItemExponentialFailureRateLimiter[T comparable](baseDelay time.Duration, maxDelay time.Duration) TypedRateLimiter[T] {
	return &TypedItemExponentialFailureRateLimiter[T]{baseDelay: baseDelay, maxDelay: maxDelay}
}

// When counts a failure of the item and returns its delay.
func (r *TypedItemExponentialFailureRateLimiter[T]) When(item T) time.Duration {
	n := r.failures.add(item)
	if r.baseDelay <= 0 {
		return 0
	}
	if n >= bits.LeadingZeros64(uint64(r.baseDelay)) { // the shift would overflow
		return r.maxDelay
	}
	return min(r.baseDelay<<n, r.maxDelay)
}

// NumRequeues returns the number of failures counted for the item.
func (r *TypedItemExponentialFailureRateLimiter[T]) NumRequeues(item T) int {
	return r.failures.count(item)
}

// Forget resets the number of failures of the item.
func (r *TypedItemExponentialFailureRateLimiter[T]) Forget(item T) { r.failures.forget(item) }

// TypedItemFastSlowRateLimiter uses a short delay for the first failures of an
// item and a long delay for further ones.
type TypedItemFastSlowRateLimiter[T comparable] struct {
	failures        failureCounter[T]
	fastDelay       time.Duration
	slowDelay       time.Duration
	maxFastAttempts int
}

var _ TypedRateLimiter[int] = (*TypedItemFastSlowRateLimiter[int])(nil)

// NewTypedItemFastSlowRateLimiter returns a rate limiter whose delay is
// fastDelay after each of the first maxFastAttempts failures of an item, and
// slowDelay after each further one.
func NewTypedItemFastSlowRateLimiter[T comparable](fastDelay, slowDelay time.Duration, maxFastAttempts int) TypedRateLimiter[T] {
	return &TypedItemFastSlowRateLimiter[T]{fastDelay: fastDelay, slowDelay: slowDelay, maxFastAttempts: maxFastAttempts}
}

// When counts a failure of the item and returns its delay.
func (r *TypedItemFastSlowRateLimiter[T]) When(item T) time.Duration {
	if r.failures.add(item) < r.maxFastAttempts {
		return r.fastDelay
	}
	return r.slowDelay
}

// NumRequeues returns the number of failures counted for the item.
func (r *TypedItemFastSlowRateLimiter[T]) NumRequeues(item T) int { return r.failures.count(item) }

// Forget resets the number of failures of the item.
func (r *TypedItemFastSlowRateLimiter[T]) Forget(item T) { r.failures.forget(item) }
