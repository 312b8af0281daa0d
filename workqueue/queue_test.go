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

// take gets n items, which must be there.
func take[T comparable](t *testing.T, q TypedInterface[T], n int) (items []T) {
	t.Helper()
	for range n {
		require.NotZero(t, q.Len(), "nothing in line after %v", items)
		item, shutdown := q.Get()
		require.False(t, shutdown)
		items = append(items, item)
	}
	return items
}

// everyQueue runs a test on each kind of queue: the contract is the same.
func everyQueue(t *testing.T, test func(t *testing.T, q TypedDelayingInterface[string])) {
	for name, make := range map[string]func() TypedDelayingInterface[string]{
		"delaying":     NewTypedDelayingQueue[string],
		"rateLimiting": func() TypedDelayingInterface[string] { return NewTypedRateLimitingQueue[string](nil) },
		"priority":     func() TypedDelayingInterface[string] { return NewPriority(PriorityConfig[string]{}) },
		"storage": func() TypedDelayingInterface[string] {
			return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{
				Queue: NewTypedWithConfig(TypedQueueConfig[string]{Queue: DefaultQueue[string]()}),
			})
		},
		"otherClock": func() TypedDelayingInterface[string] {
			return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{Clock: foreignClock{}})
		},
		"outpost": func() TypedDelayingInterface[string] {
			return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{
				Clock: foreignClock{}, Queue: NewTyped[string](),
			})
		},
		"measured": func() TypedDelayingInterface[string] {
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

// foreignClock is the real clock, unrecognised.
type foreignClock struct{ clock.RealClock }

// Contract: an item waits once, however often it is added.
func TestAddedTwiceWaitsOnce(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		for _, item := range []string{"a", "b", "a", "a", "c", "b"} {
			q.Add(item)
		}
		assert.Equal(t, 3, q.Len())
		assert.Equal(t, []string{"a", "b", "c"}, take(t, q, 3))
		assert.Zero(t, q.Len())
	})
}

// Contract: an item added while in work is handed out again after Done, once,
// and not before.
func TestAddedInWorkComesBackAfterDone(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.Add("a")
		take(t, q, 1)
		q.Add("a")
		q.Add("a")
		assert.Zero(t, q.Len(), "in line while in work")
		q.Done("a")
		assert.Equal(t, []string{"a"}, take(t, q, 1))
		q.Done("a")
		assert.Zero(t, q.Len(), "came back twice")
	})
}

// Bad input: Done of what is not in work, double Done, the zero item.
func TestDoneOfWhatIsNotInWork(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.Done("unknown")
		q.Add("a")
		q.Done("a") // waiting, not in work
		q.AddAfter("b", time.Second)
		q.Done("b") // delayed, not in work
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

// Bad input: a NaN cannot be found again, so it is not let in; no call of it
// harms the queue.
func TestNaN(t *testing.T) {
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

// Bad input: what cannot be hashed panics as in a map, and the queue goes on.
func TestUnhashable(t *testing.T) {
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

// Contract: an item is never with two workers at once, and nothing added is
// lost: after its last Add each item is handed out at least once more.
func TestManyWorkers(t *testing.T) {
	const items, adders, workers = 50, 4, 8
	adds := 20_000
	if raceEnabled {
		adds = 2_000
	}
	for name, q := range map[string]TypedRateLimitingInterface[int]{
		"fifo":     NewTypedRateLimitingQueue(DefaultTypedItemBasedRateLimiter[int]()),
		"priority": NewPriority(PriorityConfig[int]{Age: time.Microsecond}),
		"measured": NewTypedRateLimitingQueueWithConfig(nil, TypedRateLimitingQueueConfig[int]{
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
						switch p, ok := q.(*Priority[int]); {
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
							t.Errorf("item %d is with two workers", item)
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
