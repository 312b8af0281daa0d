package workqueue

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	clocktesting "k8s.io/utils/clock/testing"
)

// Delayed items are added no earlier than requested, in the order of their due
// times.
func TestDelayedItemsAreAddedWhenDue(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.AddAfter("c", 3*time.Second)
		q.AddAfter("a", 1*time.Second)
		q.AddAfter("b", 2*time.Second)
		for _, item := range []string{"a", "b", "c"} {
			time.Sleep(time.Second - 1)
			synctest.Wait()
			assert.Zero(t, q.Len(), "%s was added before its delay ended", item)
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			assert.Equal(t, []string{item}, take[string](t, q, 1))
			q.Done(item)
		}
	})
}

// If an item has several delays, the earliest takes effect, once.
func TestEarliestDelayTakesEffect(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		for _, s := range []time.Duration{5, 3, 9, 1, 3} {
			q.AddAfter("a", s*time.Second)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"a"}, take[string](t, q, 1))
		q.Done("a")
		time.Sleep(time.Minute)
		assert.Zero(t, q.Len(), "added twice")
	})
}

// A delay of 0 or less adds the item immediately.
func TestNonPositiveDelayAddsImmediately(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.AddAfter("a", 0)
		q.AddAfter("b", -time.Second)
		q.AddAfter("c", math.MinInt64)
		assert.Equal(t, []string{"a", "b", "c"}, take[string](t, q, 3))
	})
}

// The maximum delay does not overflow.
func TestMaximumDelayDoesNotOverflow(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		time.Sleep(time.Second)
		q.AddAfter("a", math.MaxInt64)
		time.Sleep(24 * time.Hour)
		assert.Zero(t, q.Len())
		q.AddAfter("a", time.Second) // earlier than the maximum
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, 1, q.Len())
	})
}

// An Add does not end a delay. If a delay ends while the item is processed,
// the item is queued after Done.
func TestAddDoesNotEndDelay(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.AddAfter("a", time.Second)
		q.Add("a")
		assert.Equal(t, []string{"a"}, take[string](t, q, 1))
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Zero(t, q.Len(), "processed by two workers")
		q.Done("a")
		assert.Equal(t, []string{"a"}, take[string](t, q, 1))
	})
}

// An idle queue has no timer, and a delay wakes a waiting worker.
func TestDelayWakesWorker(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		start := time.Now()
		q.AddAfter("a", 5*time.Second)
		item, _ := q.Get()
		assert.Equal(t, "a", item)
		assert.Equal(t, 5*time.Second, time.Since(start))
		synctest.Wait()
		for _, d := range delaysOf(q) {
			assert.EqualValues(t, never, d.timer.deadline, "the deadline of the timer of an idle queue")
		}
	})
}

// With a clock of a test, the timer exists when AddAfter returns and is
// stopped at shutdown.
func TestShutDownStopsTimersOfClock(t *testing.T) {
	for name, custom := range map[string]TypedInterface[string]{"own": nil, "delayFront": NewTyped[string]()} {
		t.Run(name, func(t *testing.T) {
			c := clocktesting.NewFakeClock(time.Now())
			q := NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{Clock: c, Queue: custom})
			assert.False(t, c.HasWaiters(), "an idle queue must not have a timer")
			q.AddAfter("late", time.Hour)
			q.AddAfter("early", time.Second)
			assert.Equal(t, 1, c.Waiters())
			c.Step(time.Second)
			item, _ := q.Get()
			assert.Equal(t, "early", item)
			q.Done(item)
			assert.Zero(t, q.Len())
			q.ShutDown()
			assert.False(t, c.HasWaiters(), "the timer must be stopped at shutdown")
		})
	}
}

// If the underlying queue is shut down directly, delayed items are dropped.
func TestShutDownOfUnderlyingQueueDropsDelayedItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := NewTyped[string]()
		q := newDelayFront(inner, customClock{}, nil)
		q.AddAfter("a", time.Second)
		q.AddAfter("b", time.Hour)
		inner.ShutDown()
		q.AddAfter("c", time.Second)
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Zero(t, q.Len())
		assert.Zero(t, q.delays.count)
	})
}

// The heap returns items in the order of a sort, also when delays become
// earlier.
func TestDelayHeapMatchesSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var items table[int, record[int]]
	items.init()
	d := delayHeap[int]{timer: newDeadlineTimer(nil, func() {})}
	defer func() { d.timer.stop() }()
	want := map[int]int64{}
	for range 20_000 {
		item, at := r.IntN(2000), 1e15+r.Int64N(1e6)
		if old, ok := want[item]; !ok || at < old {
			want[item] = at
		}
		d.add(items.findOrAdd(items.hash(item), item), 0, at)
		assert.LessOrEqual(t, len(d.heap), 2*d.count+minHeap, "too many stale entries")
	}
	var due []int64
	for n := d.pop(never); n != nil; n = d.pop(never) {
		assert.Equal(t, want[n.item], n.val.due)
		due = append(due, n.val.due)
	}
	assert.Len(t, due, len(want))
	assert.True(t, slices.IsSorted(due))
	assert.LessOrEqual(t, cap(d.heap), minHeap, "the capacity of the heap after it has shrunk")
}

// Items that are due at the same time are added in the order of the calls,
// even if an earlier delay of one of them was replaced and has ended.
func TestItemsDueTogetherKeepOrder(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.AddAfter("b", 3*time.Second)
		q.AddAfter("b", 1*time.Second)
		q.AddAfter("a", 3*time.Second)
		time.Sleep(time.Second)
		synctest.Wait()
		take[string](t, q, 1)
		q.Done("b")
		q.AddAfter("b", 2*time.Second)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"a", "b"}, take[string](t, q, 2))
	})
}
