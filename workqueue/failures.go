package workqueue

import (
	"math/bits"
	"sync"
	"time"
)

// failures counts them by item. Its zero value is ready. What is counted is
// remembered until it is forgotten; then the memory is given back.
type failures[T comparable] struct {
	mu     sync.Mutex
	counts table[T, int]
}

// add counts a failure and returns how many there were before it. A NaN
// always fails for the first time: nobody could find its count again.
func (f *failures[T]) add(item T) int {
	if item != item {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counts.cells == nil {
		f.counts.init()
	}
	n := f.counts.findOrAdd(f.counts.hash(item), item)
	n.val++
	return n.val - 1
}

func (f *failures[T]) count(item T) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counts.live > 0 {
		if n := f.counts.find(f.counts.hash(item), item); n != nil {
			return n.val
		}
	}
	return 0
}

func (f *failures[T]) forget(item T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counts.live > 0 {
		if n := f.counts.find(f.counts.hash(item), item); n != nil {
			f.counts.remove(n)
		}
	}
}

// TypedItemExponentialFailureRateLimiter makes each item wait twice as long
// after each of its failures.
type TypedItemExponentialFailureRateLimiter[T comparable] struct {
	failures  failures[T]
	baseDelay time.Duration
	maxDelay  time.Duration
}

var _ TypedRateLimiter[int] = (*TypedItemExponentialFailureRateLimiter[int])(nil)

// NewTypedItemExponentialFailureRateLimiter makes a limiter whose delays are
// baseDelay after an item's first failure, doubled after each further one,
// and never more than maxDelay. A baseDelay of 0 or less is no delay.
func NewTypedItemExponentialFailureRateLimiter[T comparable](baseDelay time.Duration, maxDelay time.Duration) TypedRateLimiter[T] {
	return &TypedItemExponentialFailureRateLimiter[T]{baseDelay: baseDelay, maxDelay: maxDelay}
}

// When counts a failure of the item and returns how long it shall wait.
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

// NumRequeues is the number of failures counted for the item.
func (r *TypedItemExponentialFailureRateLimiter[T]) NumRequeues(item T) int {
	return r.failures.count(item)
}

// Forget ends the count of the item's failures.
func (r *TypedItemExponentialFailureRateLimiter[T]) Forget(item T) { r.failures.forget(item) }

// TypedItemFastSlowRateLimiter makes each item wait shortly after its first
// failures, and long after the further ones.
type TypedItemFastSlowRateLimiter[T comparable] struct {
	failures        failures[T]
	fastDelay       time.Duration
	slowDelay       time.Duration
	maxFastAttempts int
}

var _ TypedRateLimiter[int] = (*TypedItemFastSlowRateLimiter[int])(nil)

// NewTypedItemFastSlowRateLimiter makes a limiter whose delays are fastDelay
// after each of an item's first maxFastAttempts failures and slowDelay after
// each further one.
func NewTypedItemFastSlowRateLimiter[T comparable](fastDelay, slowDelay time.Duration, maxFastAttempts int) TypedRateLimiter[T] {
	return &TypedItemFastSlowRateLimiter[T]{fastDelay: fastDelay, slowDelay: slowDelay, maxFastAttempts: maxFastAttempts}
}

// When counts a failure of the item and returns how long it shall wait.
func (r *TypedItemFastSlowRateLimiter[T]) When(item T) time.Duration {
	if r.failures.add(item) < r.maxFastAttempts {
		return r.fastDelay
	}
	return r.slowDelay
}

// NumRequeues is the number of failures counted for the item.
func (r *TypedItemFastSlowRateLimiter[T]) NumRequeues(item T) int { return r.failures.count(item) }

// Forget ends the count of the item's failures.
func (r *TypedItemFastSlowRateLimiter[T]) Forget(item T) { r.failures.forget(item) }
