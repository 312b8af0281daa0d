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

// Contract: delayed items come no earlier than asked, and in the order in
// which they are due.
func TestDelayedComeWhenDue(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.AddAfter("c", 3*time.Second)
		q.AddAfter("a", 1*time.Second)
		q.AddAfter("b", 2*time.Second)
		for _, item := range []string{"a", "b", "c"} {
			time.Sleep(time.Second - 1)
			synctest.Wait()
			assert.Zero(t, q.Len(), "%s came early", item)
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			assert.Equal(t, []string{item}, take[string](t, q, 1))
			q.Done(item)
		}
	})
}

// Contract: of several delays of an item the earliest counts, once.
func TestEarliestDelayCounts(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		for _, s := range []time.Duration{5, 3, 9, 1, 3} {
			q.AddAfter("a", s*time.Second)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"a"}, take[string](t, q, 1))
		q.Done("a")
		time.Sleep(time.Minute)
		assert.Zero(t, q.Len(), "came again")
	})
}

// Contract: a delay that is not positive is none, even the most negative.
func TestNoDelay(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.AddAfter("a", 0)
		q.AddAfter("b", -time.Second)
		q.AddAfter("c", math.MinInt64)
		assert.Equal(t, []string{"a", "b", "c"}, take[string](t, q, 3))
	})
}

// Bad input: the longest delay is long, not past.
func TestEndlessDelay(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		time.Sleep(time.Second)
		q.AddAfter("a", math.MaxInt64)
		time.Sleep(24 * time.Hour)
		assert.Zero(t, q.Len())
		q.AddAfter("a", time.Second) // still counts as earlier
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, 1, q.Len())
	})
}

// Contract: an Add does not end a delay; a delay that ends while the item is
// in work brings it back after Done.
func TestDelayBesideOtherStates(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.AddAfter("a", time.Second)
		q.Add("a")
		assert.Equal(t, []string{"a"}, take[string](t, q, 1))
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Zero(t, q.Len(), "with two workers at once")
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
			assert.EqualValues(t, never, d.alarm.at, "alarm is on")
		}
	})
}

// A Clock that is stepped by hand: the timer is there when AddAfter returns
// and gone after shutdown.
func TestSteppedClock(t *testing.T) {
	for name, custom := range map[string]TypedInterface[string]{"own": nil, "outpost": NewTyped[string]()} {
		t.Run(name, func(t *testing.T) {
			c := clocktesting.NewFakeClock(time.Now())
			q := NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{Clock: c, Queue: custom})
			assert.False(t, c.HasWaiters(), "an idle queue has a timer")
			q.AddAfter("late", time.Hour)
			q.AddAfter("early", time.Second)
			assert.Equal(t, 1, c.Waiters())
			c.Step(time.Second)
			item, _ := q.Get()
			assert.Equal(t, "early", item)
			q.Done(item)
			assert.Zero(t, q.Len())
			q.ShutDown()
			assert.False(t, c.HasWaiters(), "a timer is left")
		})
	}
}

// A queue that is shut down behind the back of its delaying queue gets
// nothing more, and the delays are dropped.
func TestOutpostOfAShutQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := NewTyped[string]()
		q := newOutpost(inner, foreignClock{}, nil)
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

// The heap against sorting, with delays that become earlier all the time.
func TestDelaysHeap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var items table[int, record[int]]
	items.init()
	d := delays[int]{alarm: newAlarm(nil, func() {})}
	defer func() { d.alarm.off() }()
	want := map[int]int64{}
	for range 20_000 {
		item, at := r.IntN(2000), 1e15+r.Int64N(1e6)
		if old, ok := want[item]; !ok || at < old {
			want[item] = at
		}
		d.add(items.findOrAdd(items.hash(item), item), 0, at)
		assert.LessOrEqual(t, len(d.heap), 2*d.count+minHeap, "stale entries pile up")
	}
	var due []int64
	for n := d.pop(never); n != nil; n = d.pop(never) {
		assert.Equal(t, want[n.item], n.val.due)
		due = append(due, n.val.due)
	}
	assert.Len(t, due, len(want))
	assert.True(t, slices.IsSorted(due))
	assert.LessOrEqual(t, cap(d.heap), minHeap, "memory stays up")
}

// Items that are due at once come in the order of the calls, also when an
// earlier delay of one of them was overtaken and ended (seed 1862 of the
// model).
func TestDueAtOnce(t *testing.T) {
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
