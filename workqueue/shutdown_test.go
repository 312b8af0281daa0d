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
