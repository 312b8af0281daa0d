package workqueue

import (
	"time"

	"k8s.io/utils/clock"
)

// This file contains the names from before generics. No other file uses it.
// Each name is its typed counterpart with T = any. A type is an alias unless
// client-go declares a distinct type.

// Interface is the untyped TypedInterface.
//
// Deprecated: use [TypedInterface].
type Interface TypedInterface[any]

// Type is the untyped Typed.
//
// Deprecated: use [Typed].
type Type = Typed[any]

// QueueConfig is the untyped TypedQueueConfig.
//
// Deprecated: use [TypedQueueConfig].
type QueueConfig = TypedQueueConfig[any]

// New returns an untyped queue.
//
// Deprecated: use [NewTyped].
func New() *Type { return NewTyped[any]() }

// NewNamed returns an untyped queue with metrics.
//
// Deprecated: use [NewTypedWithConfig].
func NewNamed(name string) *Type { return NewWithConfig(QueueConfig{Name: name}) }

// NewWithConfig returns an untyped queue.
//
// Deprecated: use [NewTypedWithConfig].
func NewWithConfig(config QueueConfig) *Type { return NewTypedWithConfig(config) }

// DelayingInterface is the untyped TypedDelayingInterface.
//
// Deprecated: use [TypedDelayingInterface].
type DelayingInterface TypedDelayingInterface[any]

// DelayingQueueConfig is the untyped TypedDelayingQueueConfig.
//
// Deprecated: use [TypedDelayingQueueConfig].
type DelayingQueueConfig = TypedDelayingQueueConfig[any]

// TypedNewDelayingQueue is NewTypedDelayingQueue.
//
// Deprecated: use [NewTypedDelayingQueue].
func TypedNewDelayingQueue[T comparable]() TypedDelayingInterface[T] {
	return NewTypedDelayingQueue[T]()
}

// NewDelayingQueue returns an untyped delaying queue.
//
// Deprecated: use [NewTypedDelayingQueue].
func NewDelayingQueue() DelayingInterface { return NewTypedDelayingQueue[any]() }

// NewDelayingQueueWithConfig returns an untyped delaying queue.
//
// Deprecated: use [NewTypedDelayingQueueWithConfig].
func NewDelayingQueueWithConfig(config DelayingQueueConfig) DelayingInterface {
	return NewTypedDelayingQueueWithConfig(config)
}

// NewDelayingQueueWithCustomQueue returns an untyped delaying queue over q.
//
// Deprecated: use [NewTypedDelayingQueueWithConfig].
func NewDelayingQueueWithCustomQueue(q Interface, name string) DelayingInterface {
	return NewDelayingQueueWithConfig(DelayingQueueConfig{Name: name, Queue: q})
}

// NewNamedDelayingQueue returns an untyped delaying queue with metrics.
//
// Deprecated: use [NewTypedDelayingQueueWithConfig].
func NewNamedDelayingQueue(name string) DelayingInterface {
	return NewDelayingQueueWithConfig(DelayingQueueConfig{Name: name})
}

// NewDelayingQueueWithCustomClock returns an untyped delaying queue that uses
// the given clock.
//
// Deprecated: use [NewTypedDelayingQueueWithConfig].
func NewDelayingQueueWithCustomClock(clock clock.WithTicker, name string) DelayingInterface {
	return NewDelayingQueueWithConfig(DelayingQueueConfig{Name: name, Clock: clock})
}

// RateLimitingInterface is the untyped TypedRateLimitingInterface.
//
// Deprecated: use [TypedRateLimitingInterface].
type RateLimitingInterface TypedRateLimitingInterface[any]

// RateLimitingQueueConfig is the untyped TypedRateLimitingQueueConfig.
//
// Deprecated: use [TypedRateLimitingQueueConfig].
type RateLimitingQueueConfig = TypedRateLimitingQueueConfig[any]

// NewRateLimitingQueue returns an untyped rate limiting queue.
//
// Deprecated: use [NewTypedRateLimitingQueue].
func NewRateLimitingQueue(rateLimiter RateLimiter) RateLimitingInterface {
	return NewTypedRateLimitingQueue[any](rateLimiter)
}

// NewRateLimitingQueueWithConfig returns an untyped rate limiting queue.
//
// Deprecated: use [NewTypedRateLimitingQueueWithConfig].
func NewRateLimitingQueueWithConfig(rateLimiter RateLimiter, config RateLimitingQueueConfig) RateLimitingInterface {
	return NewTypedRateLimitingQueueWithConfig[any](rateLimiter, config)
}

// NewNamedRateLimitingQueue returns an untyped rate limiting queue with
// metrics.
//
// Deprecated: use [NewTypedRateLimitingQueueWithConfig].
func NewNamedRateLimitingQueue(rateLimiter RateLimiter, name string) RateLimitingInterface {
	return NewRateLimitingQueueWithConfig(rateLimiter, RateLimitingQueueConfig{Name: name})
}

// NewRateLimitingQueueWithDelayingInterface returns an untyped rate limiting
// queue over di.
//
// Deprecated: use [NewTypedRateLimitingQueueWithConfig].
func NewRateLimitingQueueWithDelayingInterface(di DelayingInterface, rateLimiter RateLimiter) RateLimitingInterface {
	return NewRateLimitingQueueWithConfig(rateLimiter, RateLimitingQueueConfig{DelayingQueue: di})
}

// RateLimiter is the untyped TypedRateLimiter.
//
// Deprecated: use [TypedRateLimiter].
type RateLimiter TypedRateLimiter[any]

// BucketRateLimiter is the untyped TypedBucketRateLimiter.
//
// Deprecated: use [TypedBucketRateLimiter].
type BucketRateLimiter = TypedBucketRateLimiter[any]

// ItemExponentialFailureRateLimiter is the untyped
// TypedItemExponentialFailureRateLimiter.
//
// Deprecated: use [TypedItemExponentialFailureRateLimiter].
type ItemExponentialFailureRateLimiter = TypedItemExponentialFailureRateLimiter[any]

// ItemFastSlowRateLimiter is the untyped TypedItemFastSlowRateLimiter.
//
// Deprecated: use [TypedItemFastSlowRateLimiter].
type ItemFastSlowRateLimiter = TypedItemFastSlowRateLimiter[any]

// MaxOfRateLimiter is the untyped TypedMaxOfRateLimiter.
//
// Deprecated: use [TypedMaxOfRateLimiter].
type MaxOfRateLimiter = TypedMaxOfRateLimiter[any]

// WithMaxWaitRateLimiter is the untyped TypedWithMaxWaitRateLimiter.
//
// Deprecated: use [TypedWithMaxWaitRateLimiter].
type WithMaxWaitRateLimiter = TypedWithMaxWaitRateLimiter[any]

// DefaultControllerRateLimiter is the untyped
// DefaultTypedControllerRateLimiter.
//
// Deprecated: use [DefaultTypedControllerRateLimiter].
func DefaultControllerRateLimiter() RateLimiter { return DefaultTypedControllerRateLimiter[any]() }

// DefaultItemBasedRateLimiter is the untyped DefaultTypedItemBasedRateLimiter.
//
// Deprecated: use [DefaultTypedItemBasedRateLimiter].
func DefaultItemBasedRateLimiter() RateLimiter { return DefaultTypedItemBasedRateLimiter[any]() }

// NewItemExponentialFailureRateLimiter is the untyped
// NewTypedItemExponentialFailureRateLimiter.
//
// Deprecated: use [NewTypedItemExponentialFailureRateLimiter].
func NewItemExponentialFailureRateLimiter(baseDelay time.Duration, maxDelay time.Duration) RateLimiter {
	return NewTypedItemExponentialFailureRateLimiter[any](baseDelay, maxDelay)
}

// NewItemFastSlowRateLimiter is the untyped NewTypedItemFastSlowRateLimiter.
//
// Deprecated: use [NewTypedItemFastSlowRateLimiter].
func NewItemFastSlowRateLimiter(fastDelay, slowDelay time.Duration, maxFastAttempts int) RateLimiter {
	return NewTypedItemFastSlowRateLimiter[any](fastDelay, slowDelay, maxFastAttempts)
}

// NewMaxOfRateLimiter is the untyped NewTypedMaxOfRateLimiter.
//
// Deprecated: use [NewTypedMaxOfRateLimiter].
func NewMaxOfRateLimiter(limiters ...TypedRateLimiter[any]) RateLimiter {
	return NewTypedMaxOfRateLimiter(limiters...)
}

// NewWithMaxWaitRateLimiter is the untyped NewTypedWithMaxWaitRateLimiter.
//
// Deprecated: use [NewTypedWithMaxWaitRateLimiter].
func NewWithMaxWaitRateLimiter(limiter RateLimiter, maxDelay time.Duration) RateLimiter {
	return NewTypedWithMaxWaitRateLimiter[any](limiter, maxDelay)
}
