package workqueue

import (
	"fmt"
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

// Contract: ShutDown ends the adding; what is in line is still handed out,
// then every worker is sent home.
func TestShutDown(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		var home atomic.Int32
		for range 3 {
			go func() {
				item, shutdown := q.Get()
				if shutdown {
					home.Add(1)
				}
				assert.Empty(t, item)
			}()
		}
		synctest.Wait()
		q.ShutDown()
		q.ShutDown()
		synctest.Wait()
		assert.EqualValues(t, 3, home.Load())
		assert.True(t, q.ShuttingDown())
		q.Add("late")
		q.AddAfter("late", 0)
		q.AddAfter("late", time.Second)
		time.Sleep(time.Minute)
		_, shutdown := q.Get()
		assert.True(t, shutdown)
	})
}

// Contract: nothing added before ShutDown is lost, not even what was added
// while in work; what is added to an item in work after ShutDown is ignored.
func TestShutDownLosesNothing(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.Add("a")
		q.Add("b")
		assert.Equal(t, []string{"a"}, take(t, q, 1))
		q.Add("a")
		q.ShutDown()
		assert.Equal(t, []string{"b"}, take(t, q, 1))
		q.Add("b")
		q.Done("a")
		q.Done("b")
		assert.Equal(t, []string{"a"}, take(t, q, 1))
		q.Done("a")
		_, shutdown := q.Get()
		assert.True(t, shutdown)
	})
}

// Contract: ShutDownWithDrain waits for what is queued and in work, and any
// number of callers may wait.
func TestDrain(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.Add("in work")
		take(t, q, 1)
		q.Add("in line")
		q.Add("in work") // again
		var drained atomic.Int32
		for range 4 {
			go func() { q.ShutDownWithDrain(); drained.Add(1) }()
		}
		for _, item := range []string{"in line", "in work"} {
			synctest.Wait()
			assert.Zero(t, drained.Load())
			q.Done("in work")
			assert.Equal(t, []string{item}, take(t, q, 1))
			q.Done("in line")
		}
		synctest.Wait()
		assert.Zero(t, drained.Load())
		q.Done("in work")
		synctest.Wait()
		assert.EqualValues(t, 4, drained.Load())
		q.ShutDownWithDrain() // with nothing to drain it returns
	})
}

// Contract: a drain waits for items in line also when none is in work.
func TestDrainWaitsForTheLine(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.Add("a")
		done := make(chan struct{})
		go func() { q.ShutDownWithDrain(); close(done) }()
		synctest.Wait()
		select {
		case <-done:
			t.Fatal("drained with an item in line")
		default:
		}
		take(t, q, 1)
		q.Done("a")
		<-done
	})
}

// Contract: ShutDown sends the drainers home.
func TestShutDownEndsDrains(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.Add("never done")
		take(t, q, 1)
		for range 2 { // a second wait is a wait of its own
			var drains sync.WaitGroup
			for range 3 {
				drains.Go(q.ShutDownWithDrain)
			}
			synctest.Wait()
			q.ShutDown()
			drains.Wait()
		}
	})
}

// During a drain somebody must be there for the item that comes back, also
// when its Done is called by a goroutine that gets nothing.
func TestDrainKeepsAWorkerForWhatComesBack(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.Add("a")
		take(t, q, 1)
		q.Add("a")
		var workers, drains sync.WaitGroup
		drains.Go(q.ShutDownWithDrain)
		synctest.Wait()
		for range 3 {
			workers.Go(func() {
				for item, shutdown := q.Get(); !shutdown; item, shutdown = q.Get() {
					q.Done(item)
				}
			})
		}
		synctest.Wait()
		q.Done("a")
		workers.Wait()
		drains.Wait()
	})
}

// Nothing is left after a shutdown: no delayed item, no timer, no goroutine.
func TestShutDownLeavesNothing(t *testing.T) {
	for _, end := range []func(TypedInterface[string]){
		TypedInterface[string].ShutDown, TypedInterface[string].ShutDownWithDrain,
	} {
		everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
			q.AddAfter("a", time.Hour)
			q.AddAfter("b", time.Minute)
			end(q)
			for _, d := range delaysOf(q) {
				assert.Empty(t, d.heap)
				assert.Zero(t, d.count)
				assert.EqualValues(t, never, d.alarm.at, "alarm is on")
				if d.alarm.timer != nil {
					assert.False(t, d.alarm.timer.Stop(), "timer is on")
				}
				assert.Nil(t, d.alarm.gone, "goroutine is waiting")
			}
			// A goroutine that is left would stop the bubble from ending.
		})
	}
}

func delaysOf(q TypedDelayingInterface[string]) []*delays[string] {
	switch q := q.(type) {
	case *delaying[string]:
		return []*delays[string]{&q.delays}
	case *outpost[string]:
		return []*delays[string]{&q.delays, &q.TypedInterface.(*Typed[string]).delays}
	case *rateLimiting[string]:
		return delaysOf(q.TypedDelayingInterface)
	case *Priority[string]:
		return delaysOf(q.TypedDelayingInterface)
	}
	panic(fmt.Sprintf("%T", q))
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
