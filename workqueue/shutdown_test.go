package workqueue

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// After ShutDown nothing is added. Get returns the waiting items, and then
// shutdown to each worker.
func TestShutDownReturnsWaitingItemsFirst(t *testing.T) {
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

// No item that was added before ShutDown is lost, including items that were
// added while they were processed. Later calls of Add are ignored.
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

// ShutDownWithDrain waits for waiting and processed items. Several callers may
// wait.
func TestDrainWaitsForItems(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.Add("processed")
		take(t, q, 1)
		q.Add("waiting")
		q.Add("processed") // again, while it is processed
		var drained atomic.Int32
		for range 4 {
			go func() { q.ShutDownWithDrain(); drained.Add(1) }()
		}
		for _, item := range []string{"waiting", "processed"} {
			synctest.Wait()
			assert.Zero(t, drained.Load())
			q.Done("processed")
			assert.Equal(t, []string{item}, take(t, q, 1))
			q.Done("waiting")
		}
		synctest.Wait()
		assert.Zero(t, drained.Load())
		q.Done("processed")
		synctest.Wait()
		assert.EqualValues(t, 4, drained.Load())
		q.ShutDownWithDrain() // returns immediately if nothing is queued
	})
}

// ShutDownWithDrain waits for waiting items even if no item is being
// processed.
func TestDrainWaitsForWaitingItems(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.Add("a")
		done := make(chan struct{})
		go func() { q.ShutDownWithDrain(); close(done) }()
		synctest.Wait()
		select {
		case <-done:
			t.Fatal("ShutDownWithDrain returned with a waiting item")
		default:
		}
		take(t, q, 1)
		q.Done("a")
		<-done
	})
}

// ShutDown ends the wait of ShutDownWithDrain.
func TestShutDownEndsDrainers(t *testing.T) {
	everyQueue(t, func(t *testing.T, q TypedDelayingInterface[string]) {
		q.Add("a")
		take(t, q, 1)
		for range 2 { // ShutDownWithDrain can be called again
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

// During ShutDownWithDrain, a worker must be available for an item that is
// queued after Done, even if Done is called by a goroutine that does not call
// Get.
func TestDrainKeepsWorkersForItemsAddedAgain(t *testing.T) {
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

// After a shutdown there is no delayed item, no timer and no goroutine.
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
				assert.EqualValues(t, never, d.timer.deadline, "the deadline of the timer")
				if d.timer.realTimer != nil {
					assert.False(t, d.timer.realTimer.Stop(), "the runtime timer")
				}
				assert.Nil(t, d.timer.stopped, "the goroutine of the timer")
			}
			// A remaining goroutine would prevent the synctest bubble from
			// ending.
		})
	}
}

func delaysOf(q TypedDelayingInterface[string]) []*delayHeap[string] {
	switch q := q.(type) {
	case *delayingQueue[string]:
		return []*delayHeap[string]{&q.delays}
	case *delayFront[string]:
		return []*delayHeap[string]{&q.delays, &q.TypedInterface.(*Typed[string]).delays}
	case *rateLimitingQueue[string]:
		return delaysOf(q.TypedDelayingInterface)
	case *PriorityQueue[string]:
		return delaysOf(q.TypedDelayingInterface)
	}
	panic(fmt.Sprintf("%T", q))
}
