package behaviour

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing/synctest"
	"time"

	"k8s.io/client-go/util/workqueue"
)

func delays() []scene {
	return []scene{
		{name: "workqueue/delays", play: func(s *stage) {
			q := workqueue.NewTypedDelayingQueue[string]()
			s.stops = append(s.stops, q.ShutDown)
			q.AddAfter("second", 2*time.Second)
			q.AddAfter("first", time.Second)
			q.AddAfter("now", 0)
			q.AddAfter("before now", -time.Hour)
			s.sleep(500 * time.Millisecond)
			s.say("%d: %s %s", q.Len(), next(q), next(q))
			s.say("%s at %v", next(q), s.now())
			s.say("%s at %v", next(q), s.now())
		}},
		{name: "workqueue/the earlier of two delays", play: func(s *stage) {
			q := workqueue.NewTypedDelayingQueue[string]()
			s.stops = append(s.stops, q.ShutDown)
			q.AddAfter("a", time.Minute)
			q.AddAfter("a", time.Second)
			q.AddAfter("a", time.Hour)
			s.settle()
			s.say("%d in line", q.Len())
			s.say("%s", next(q))
			s.sleep(2 * time.Hour)
			s.say("%d in line", q.Len())
		}},
		{name: "workqueue/a delayed item that is added", play: func(s *stage) {
			q := workqueue.NewTypedDelayingQueue[string]()
			s.stops = append(s.stops, q.ShutDown)
			q.AddAfter("a", time.Minute)
			q.Add("a")
			s.settle()
			s.say("%s", next(q))
			s.sleep(2 * time.Minute)
			s.say("%d in line after its delay", q.Len())
		}},
		{name: "workqueue/shutdown drops the delayed", play: func(s *stage) {
			q := workqueue.NewTypedDelayingQueue[string]()
			q.AddAfter("a", time.Second)
			s.settle()
			q.AddAfter("b", time.Second)
			q.ShutDown()
			q.AddAfter("c", 0)
			s.settle()
			s.say("%d", work[string](q, func(item string) { s.say("%s", item) }))
		}},
		{name: "workqueue/due at once", rows: "delay-order", play: func(s *stage) {
			q := workqueue.NewTypedDelayingQueue[string]()
			s.stops = append(s.stops, q.ShutDown)
			inOrder := 0
			for range 10 {
				var line []string
				for i := range 10 {
					q.AddAfter(fmt.Sprint(i), time.Second)
				}
				s.settle()
				for range 10 {
					line = append(line, next(q))
				}
				if slices.IsSorted(line) {
					inOrder++
				}
			}
			s.say("always in order: %v", inOrder == 10)
		}},
		{name: "workqueue/many delays", rows: "add-after", play: func(s *stage) {
			// The one goroutine that takes them waits for the queue's lock.
			waits := make(chan struct{})
			q := workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[int]{
				Queue: &stalled{TypedInterface: workqueue.NewTyped[int](), waits: waits},
			})
			s.stops = append(s.stops, q.ShutDown)
			q.AddAfter(0, time.Millisecond)
			s.sleep(time.Second)
			var added atomic.Int64
			s.start(func(context.Context) {
				for i := range 3000 {
					q.AddAfter(i, time.Hour)
					added.Add(1)
				}
			})
			s.settle()
			s.say("added while the queue is busy: all 3000: %v", added.Load() == 3000)
			close(waits)
			s.settle()
			s.say("%d", added.Load())
		}},
		{name: "workqueue/an idle queue", rows: "idle-queue", play: func(s *stage) {
			before := runtime.NumGoroutine()
			q := workqueue.NewTypedDelayingQueue[string]()
			s.settle()
			s.say("goroutines of an idle delaying queue: %d", runtime.NumGoroutine()-before)
			q.ShutDownWithDrain()
			synctest.Wait()
			s.say("and after a drain: %d", runtime.NumGoroutine()-before)
		}},
		{name: "workqueue/a negative delay", rows: "negative-delay", play: func(s *stage) {
			limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](-time.Second, time.Minute)
			s.say("%v %v", limiter.When("a"), limiter.When("a"))
		}},
	}
}

// stalled is a queue whose Add stands still until it may go on.
type stalled struct {
	workqueue.TypedInterface[int]
	waits chan struct{}
}

func (q *stalled) Add(item int) {
	<-q.waits
	q.TypedInterface.Add(item)
}
