package behaviour

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// work processes items until the queue is shut down, and returns their number.
func work[T comparable](q workqueue.TypedInterface[T], do func(T)) (count int) {
	for {
		item, shutdown := q.Get()
		if shutdown {
			return count
		}
		do(item)
		q.Done(item)
		count++
	}
}

// next gets the next item and marks it as done.
func next(q workqueue.TypedInterface[string]) string {
	item, shutdown := q.Get()
	q.Done(item)
	return fmt.Sprint(item, map[bool]string{true: "shut down"}[shutdown])
}

// lifo is a queue that returns the last added item first.
type lifo struct{ items []string }

func (l *lifo) Touch(string)     {}
func (l *lifo) Push(item string) { l.items = append(l.items, item) }
func (l *lifo) Len() int         { return len(l.items) }
func (l *lifo) Pop() string {
	last := l.items[len(l.items)-1]
	l.items = l.items[:len(l.items)-1]
	return last
}

func workqueues() []testCase {
	return []testCase{
		{name: "workqueue/order", run: func(s *scenario) {
			q := workqueue.NewTyped[string]()
			for _, item := range []string{"c", "a", "b", "a", "c"} {
				q.Add(item)
			}
			s.printf("%d: %s %s %s, %d", q.Len(), next(q), next(q), next(q), q.Len())
			q.ShutDown()
			s.printf("%q", next(q))
		}},
		{name: "workqueue/an item that is processed", run: func(s *scenario) {
			q := workqueue.NewTyped[string]()
			q.Add("a")
			item, _ := q.Get()
			q.Add("a")
			q.Add("a")
			s.printf("waiting while it is processed: %d", q.Len())
			q.Done(item)
			s.printf("after Done: %d", q.Len())
			item, _ = q.Get()
			q.Done(item)
			s.printf("after the second: %d", q.Len())
			q.Done("never there")
			q.Done(item)
			s.printf("after superfluous Dones: %d", q.Len())
			q.Add("a")
			s.printf("%s", next(q))
		}},
		{name: "workqueue/Get waits", run: func(s *scenario) {
			q := workqueue.NewTyped[string]()
			got := ""
			s.start(func(context.Context) { got, _ = q.Get() })
			s.settle()
			s.printf("%q", got)
			q.Add("a")
			s.settle()
			s.printf("%q", got)
		}},
		{name: "workqueue/ShutDown", run: func(s *scenario) {
			q := workqueue.NewTyped[string]()
			q.Add("a")
			q.Add("b")
			item, _ := q.Get()
			q.Add("a")
			s.printf("%v", q.ShuttingDown())
			q.ShutDown()
			q.ShutDown()
			q.Add("late")
			s.printf("%v, %d waiting", q.ShuttingDown(), q.Len())
			q.Done(item)
			s.printf("%d waiting", q.Len())
			s.printf("%d returned by Get", work[string](q, func(string) {}))
		}},
		{name: "workqueue/ShutDown wakes workers", run: func(s *scenario) {
			q := workqueue.NewTyped[int]()
			var ended atomic.Int64
			for range 5 {
				s.start(func(context.Context) { work[int](q, func(int) {}); ended.Add(1) })
			}
			s.settle()
			q.ShutDown()
			s.settle()
			s.printf("%d of 5 have ended", ended.Load())
		}},
		{name: "workqueue/drain waits for items that are processed", run: func(s *scenario) {
			q := workqueue.NewTyped[string]()
			q.Add("a")
			item, _ := q.Get()
			drained := false
			s.start(func(context.Context) { q.ShutDownWithDrain(); drained = true })
			s.settle()
			s.printf("%v %v", drained, q.ShuttingDown())
			q.Done(item)
			s.settle()
			s.printf("%v", drained)
		}},
		{name: "workqueue/drain with waiting items", rows: "drain-line", run: func(s *scenario) {
			q := workqueue.NewTyped[string]()
			q.Add("a")
			drained := false
			s.start(func(context.Context) { q.ShutDownWithDrain(); drained = true })
			s.settle()
			s.printf("drained with a waiting item: %v", drained)
			s.printf("%d", work[string](q, func(string) {}))
			s.settle()
			s.printf("%v", drained)
		}},
		{name: "workqueue/several concurrent drains", rows: "drain-several", run: func(s *scenario) {
			q := workqueue.NewTyped[string]()
			q.Add("a")
			item, _ := q.Get()
			var drained atomic.Int64
			for range 3 {
				s.start(func(context.Context) { q.ShutDownWithDrain(); drained.Add(1) })
			}
			s.settle()
			q.Done(item)
			s.settle()
			s.printf("%d of 3 have returned", drained.Load())
			q.ShutDown() // ends the others
		}},
		{name: "workqueue/workers during a drain", rows: "drain-idle", run: func(s *scenario) {
			q := workqueue.NewTyped[string]()
			q.Add("a")
			item, _ := q.Get()
			q.Add("a")
			delivered := 0
			s.start(func(context.Context) { q.ShutDownWithDrain() })
			s.settle()
			s.start(func(context.Context) { delivered = work[string](q, func(string) {}) })
			s.settle()
			q.Done(item)
			s.settle()
			s.printf("an idle worker got %d", delivered)
			q.ShutDown()
			s.settle()
			s.printf("later still: %d", work[string](q, func(string) {}))
		}},
		{name: "workqueue/drain and then ShutDown", run: func(s *scenario) {
			q := workqueue.NewTyped[string]()
			q.Add("a")
			_, _ = q.Get()
			drained := false
			s.start(func(context.Context) { q.ShutDownWithDrain(); drained = true })
			s.settle()
			q.ShutDown()
			s.settle()
			s.printf("%v", drained)
		}},
		{name: "workqueue/a custom queue", run: func(s *scenario) {
			q := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[string]{Queue: &lifo{}})
			for _, item := range []string{"a", "b", "c", "a"} {
				q.Add(item)
			}
			s.printf("%d: %s %s %s", q.Len(), next(q), next(q), next(q))
			own := workqueue.DefaultQueue[string]()
			own.Push("x")
			own.Push("y")
			own.Touch("x")
			s.printf("%d %s %s %d", own.Len(), own.Pop(), own.Pop(), own.Len())
		}},
		{name: "workqueue/no item is processed twice at once", run: func(s *scenario) {
			q := workqueue.NewTyped[int]()
			var mu sync.Mutex
			inWork, twice, done := map[int]bool{}, 0, 0
			for range 8 {
				s.start(func(context.Context) {
					work[int](q, func(i int) {
						mu.Lock()
						if inWork[i] {
							twice++
						}
						inWork[i] = true
						done++
						mu.Unlock()
						time.Sleep(time.Millisecond)
						mu.Lock()
						delete(inWork, i)
						mu.Unlock()
					})
				})
			}
			for i := range 1000 {
				q.Add(i % 7)
				time.Sleep(100 * time.Microsecond)
			}
			s.settle()
			q.ShutDown()
			s.settle()
			s.printf("twice at once: %d, all keys processed: %v", twice, done > 7)
		}},
		{name: "workqueue/untyped", run: func(s *scenario) {
			q := workqueue.NewNamedRateLimitingQueue(workqueue.DefaultControllerRateLimiter(), "name")
			q.Add("a")
			q.Add(7)
			q.Add(struct{ x int }{1})
			q.Add(nil)
			for range 4 {
				item, shutdown := q.Get()
				s.printf("%v %v", item, shutdown)
				q.Done(item)
			}
			q.AddAfter("late", time.Second)
			item, _ := q.Get()
			s.printf("%v at %v", item, s.now())
			q.Done(item)
			q.ShutDown()
			plain := workqueue.NewNamed("plain")
			plain.Add(1)
			plain.ShutDown()
			item, shutdown := plain.Get()
			s.printf("%v %v", item, shutdown)
		}},
		{name: "workqueue/items that cannot be hashed", run: func(s *scenario) {
			q := workqueue.New()
			s.attempt("add", func() { q.Add([]string{"x"}) })
			q.Add("fine")
			s.printf("%d", q.Len())
		}},
		{name: "workqueue/parallel", run: func(s *scenario) {
			var done atomic.Int64
			workqueue.ParallelizeUntil(context.Background(), 4, 100, func(int) { done.Add(1) })
			s.printf("%d", done.Load())
			done.Store(0)
			workqueue.ParallelizeUntil(context.Background(), 4, 10, func(piece int) { done.Add(int64(piece)) }, workqueue.WithChunkSize(3))
			s.printf("%d", done.Load())
			ctx, cancel := context.WithCancel(context.Background())
			done.Store(0)
			workqueue.ParallelizeUntil(ctx, 1, 100, func(piece int) {
				if piece == 4 {
					cancel()
				}
				done.Add(1)
			})
			s.printf("%d", done.Load())
			workqueue.ParallelizeUntil(context.Background(), 4, 0, func(int) { panic("not called") })
			//lint:ignore SA1012 the case passes a nil context
			workqueue.ParallelizeUntil(nil, 4, 2, func(int) {})
			s.printf("done")
		}},
		{name: "workqueue/parallel with no workers", rows: "no-workers", run: func(s *scenario) {
			done := 0
			workqueue.ParallelizeUntil(context.Background(), 0, 10, func(int) { done++ })
			s.printf("%d of 10 pieces", done)
		}},
	}
}
