package behaviour

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"sync/atomic"
	"testing/synctest"
	"time"

	"k8s.io/client-go/util/workqueue"
)

func delays() []testCase {
	return []testCase{
		{name: "workqueue/delays", run: func(s *scenario) {
			q := workqueue.NewTypedDelayingQueue[string]()
			s.stops = append(s.stops, q.ShutDown)
			q.AddAfter("second", 2*time.Second)
			q.AddAfter("first", time.Second)
			q.AddAfter("now", 0)
			q.AddAfter("before now", -time.Hour)
			s.sleep(500 * time.Millisecond)
			s.printf("%d: %s %s", q.Len(), next(q), next(q))
			s.printf("%s at %v", next(q), s.now())
			s.printf("%s at %v", next(q), s.now())
		}},
		{name: "workqueue/the earlier of two delays", run: func(s *scenario) {
			q := workqueue.NewTypedDelayingQueue[string]()
			s.stops = append(s.stops, q.ShutDown)
			q.AddAfter("a", time.Minute)
			q.AddAfter("a", time.Second)
			q.AddAfter("a", time.Hour)
			s.settle()
			s.printf("%d waiting", q.Len())
			s.printf("%s", next(q))
			s.sleep(2 * time.Hour)
			s.printf("%d waiting", q.Len())
		}},
		{name: "workqueue/a delayed item that is added", run: func(s *scenario) {
			q := workqueue.NewTypedDelayingQueue[string]()
			s.stops = append(s.stops, q.ShutDown)
			q.AddAfter("a", time.Minute)
			q.Add("a")
			s.settle()
			s.printf("%s", next(q))
			s.sleep(2 * time.Minute)
			s.printf("%d waiting after the delay", q.Len())
		}},
		{name: "workqueue/shutdown drops delayed items", run: func(s *scenario) {
			q := workqueue.NewTypedDelayingQueue[string]()
			q.AddAfter("a", time.Second)
			s.settle()
			q.AddAfter("b", time.Second)
			q.ShutDown()
			q.AddAfter("c", 0)
			s.settle()
			s.printf("%d", work[string](q, func(item string) { s.printf("%s", item) }))
		}},
		{name: "workqueue/items that are due at the same time", rows: "delay-order", run: func(s *scenario) {
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
			s.printf("always in order: %v", inOrder == 10)
		}},
		{name: "workqueue/many delays", rows: "add-after", run: func(s *scenario) {
			// The goroutine of the delaying queue is blocked in Add.
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
			s.printf("added while the queue is busy: all 3000: %v", added.Load() == 3000)
			close(waits)
			s.settle()
			s.printf("%d", added.Load())
		}},
		{name: "workqueue/an idle queue", rows: "idle-queue", run: func(s *scenario) {
			q := workqueue.NewTypedDelayingQueue[string]()
			s.settle()
			s.printf("goroutines of an idle delaying queue: %d", queueGoroutines())
			q.ShutDownWithDrain()
			synctest.Wait()
			s.printf("and after a drain: %d", queueGoroutines())
		}},
		{name: "workqueue/a negative delay", rows: "negative-delay", run: func(s *scenario) {
			limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](-time.Second, time.Minute)
			s.printf("%v %v", limiter.When("a"), limiter.When("a"))
		}},
	}
}

// queueGoroutines returns the number of goroutines that a package workqueue has started.
// The number of all goroutines would include some of the previous case that are about to
// exit.
func queueGoroutines() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return len(regexp.MustCompile(`(?m)^created by \S*/workqueue\.`).FindAll(stacks, -1))
}

// stalled is a queue whose Add blocks until waits is closed.
type stalled struct {
	workqueue.TypedInterface[int]
	waits chan struct{}
}

func (q *stalled) Add(item int) {
	<-q.waits
	q.TypedInterface.Add(item)
}
