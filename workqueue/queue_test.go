package workqueue

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/clock"
)

// take returns n items, which must be waiting.
func take[T comparable](t *testing.T, q TypedInterface[T], n int) (items []T) {
	t.Helper()
	for range n {
		require.NotZero(t, q.Len(), "no item is waiting after %v", items)
		item, shutdown := q.Get()
		require.False(t, shutdown)
		items = append(items, item)
	}
	return items
}

// everyQueue runs a test with each kind of queue.
func everyQueue(t *testing.T, test func(t *testing.T, q TypedDelayingInterface[string])) {
	for name, make := range map[string]func() TypedDelayingInterface[string]{
		"delaying":     NewTypedDelayingQueue[string],
		"rateLimiting": func() TypedDelayingInterface[string] { return NewTypedRateLimitingQueue[string](nil) },
		"priority":     func() TypedDelayingInterface[string] { return NewPriorityQueue(PriorityQueueConfig[string]{}) },
		"customQueue": func() TypedDelayingInterface[string] {
			return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{
				Queue: NewTypedWithConfig(TypedQueueConfig[string]{Queue: DefaultQueue[string]()}),
			})
		},
		"otherClock": func() TypedDelayingInterface[string] {
			return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{Clock: customClock{}})
		},
		"delayFront": func() TypedDelayingInterface[string] {
			return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{
				Clock: customClock{}, Queue: NewTyped[string](),
			})
		},
		"withMetrics": func() TypedDelayingInterface[string] {
			return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{
				Name: "test", MetricsProvider: &fakeProvider{},
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := make()
				defer q.ShutDown()
				test(t, q)
			})
		})
	}
}

// customClock is the real clock as a type that is not recognized.
type customClock struct{ clock.RealClock }

// An item is queued once, however often it is added.
func TestAddIsIdempotent(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		for _, item := range []string{"a", "b", "a", "a", "c", "b"} {
			q.Add(item)
		}
		assert.Equal(t, 3, q.Len())
		assert.Equal(t, []string{"a", "b", "c"}, take(t, q, 3))
		assert.Zero(t, q.Len())
	})
}

// An item that is added while it is processed is queued once, after Done.
func TestAddedWhileProcessingIsQueuedAfterDone(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.Add("a")
		take(t, q, 1)
		q.Add("a")
		q.Add("a")
		assert.Zero(t, q.Len(), "an item that is being processed must not wait")
		q.Done("a")
		assert.Equal(t, []string{"a"}, take(t, q, 1))
		q.Done("a")
		assert.Zero(t, q.Len(), "added twice")
	})
}

// Done has no effect for an item that is not being processed, for a second
// call, and for the zero item.
func TestDoneOfUnprocessedItemDoesNothing(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.Done("unknown")
		q.Add("a")
		q.Done("a") // waiting, not being processed
		q.AddAfter("b", time.Second)
		q.Done("b") // delayed, not being processed
		assert.Equal(t, []string{"a"}, take(t, q, 1))
		q.Done("a")
		q.Done("a")
		q.Add("")
		assert.Equal(t, []string{""}, take(t, q, 1))
		q.Done("")
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"b"}, take(t, q, 1))
	})
}

// A NaN is not added, and calls with it have no effect.
func TestNaNIsIgnored(t *testing.T) {
	nan := math.NaN()
	q := NewTypedRateLimitingQueue(NewTypedItemExponentialFailureRateLimiter[float64](0, 0))
	q.Add(nan)
	q.AddAfter(nan, 0)
	q.AddAfter(nan, time.Nanosecond)
	q.AddRateLimited(nan)
	q.Done(nan)
	q.Forget(nan)
	assert.Zero(t, q.Len())
	assert.Zero(t, q.NumRequeues(nan))
	q.ShutDownWithDrain()
}

// An item that cannot be hashed panics, and the queue still works.
func TestUnhashableItemPanics(t *testing.T) {
	q := NewTypedRateLimitingQueue[any](nil)
	defer q.ShutDown()
	for name, call := range map[string]func(any){
		"Add": q.Add, "Done": q.Done, "AddRateLimited": q.AddRateLimited,
		"AddAfter": func(item any) { q.AddAfter(item, 1) },
	} {
		assert.Panics(t, func() { call([]string{"a slice"}) }, name)
	}
	q.Add("fine")
	assert.Equal(t, []any{"fine"}, take(t, q, 1))
	q.Done("fine")
}

// At most one worker processes an item, and no Add is lost: each item is
// returned at least once after its last Add.
func TestConcurrentWorkersLoseNoAdd(t *testing.T) {
	const items, adders, workers = 50, 4, 8
	adds := 20_000
	if raceEnabled {
		adds = 2_000
	}
	for name, q := range map[string]TypedRateLimitingInterface[int]{
		"fifo":     NewTypedRateLimitingQueue(DefaultTypedItemBasedRateLimiter[int]()),
		"priority": NewPriorityQueue(PriorityQueueConfig[int]{Age: time.Microsecond}),
		"withMetrics": NewTypedRateLimitingQueueWithConfig(nil, TypedRateLimitingQueueConfig[int]{
			Name: "test", MetricsProvider: &fakeProvider{},
		}),
	} {
		t.Run(name, func(t *testing.T) {
			var added, seen, busy [items]atomic.Int64
			var adding, working sync.WaitGroup
			for a := range adders {
				adding.Go(func() {
					for i := range adds {
						item := (i*7 + a*13) % items
						added[item].Add(1)
						switch p, ok := q.(*PriorityQueue[int]); {
						case i%5 == 0:
							q.AddAfter(item, time.Duration(i%3)*time.Microsecond)
							q.Add(item)
						case ok:
							p.AddWithPriority(item, i%4)
						default:
							q.Add(item)
						}
					}
				})
			}
			for range workers {
				working.Go(func() {
					for item, shutdown := q.Get(); !shutdown; item, shutdown = q.Get() {
						if busy[item].Add(1) != 1 {
							t.Errorf("item %d is processed by two workers", item)
						}
						seen[item].Store(added[item].Load())
						busy[item].Add(-1)
						q.Done(item)
					}
				})
			}
			adding.Wait()
			var drains sync.WaitGroup
			for range 3 {
				drains.Go(q.ShutDownWithDrain)
			}
			drains.Wait()
			working.Wait()
			for item := range items {
				assert.Equal(t, added[item].Load(), seen[item].Load(), "item %d: an Add was lost", item)
			}
		})
	}
}
