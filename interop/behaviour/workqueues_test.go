package behaviour

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// work takes items until the queue is shut down, and says nothing but how many.
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

// next takes and gives back what is in line.
func next(q workqueue.TypedInterface[string]) string {
	item, shutdown := q.Get()
	q.Done(item)
	return fmt.Sprint(item, map[bool]string{true: "shut down"}[shutdown])
}

// lifo hands out first what was added last.
type lifo struct{ items []string }

func (l *lifo) Touch(string)     {}
func (l *lifo) Push(item string) { l.items = append(l.items, item) }
func (l *lifo) Len() int         { return len(l.items) }
func (l *lifo) Pop() string {
	last := l.items[len(l.items)-1]
	l.items = l.items[:len(l.items)-1]
	return last
}

func workqueues() []scene {
	return []scene{
		{name: "workqueue/order", play: func(s *stage) {
			q := workqueue.NewTyped[string]()
			for _, item := range []string{"c", "a", "b", "a", "c"} {
				q.Add(item)
			}
			s.say("%d: %s %s %s, %d", q.Len(), next(q), next(q), next(q), q.Len())
			q.ShutDown()
			s.say("%q", next(q))
		}},
		{name: "workqueue/an item in work", play: func(s *stage) {
			q := workqueue.NewTyped[string]()
			q.Add("a")
			item, _ := q.Get()
			q.Add("a")
			q.Add("a")
			s.say("in line while in work: %d", q.Len())
			q.Done(item)
			s.say("after Done: %d", q.Len())
			item, _ = q.Get()
			q.Done(item)
			s.say("after the second: %d", q.Len())
			q.Done("never there")
			q.Done(item)
			s.say("after Dones too many: %d", q.Len())
			q.Add("a")
			s.say("%s", next(q))
		}},
		{name: "workqueue/Get waits", play: func(s *stage) {
			q := workqueue.NewTyped[string]()
			got := ""
			s.start(func(context.Context) { got, _ = q.Get() })
			s.settle()
			s.say("%q", got)
			q.Add("a")
			s.settle()
			s.say("%q", got)
		}},
		{name: "workqueue/ShutDown", play: func(s *stage) {
			q := workqueue.NewTyped[string]()
			q.Add("a")
			q.Add("b")
			item, _ := q.Get()
			q.Add("a")
			s.say("%v", q.ShuttingDown())
			q.ShutDown()
			q.ShutDown()
			q.Add("late")
			s.say("%v, %d in line", q.ShuttingDown(), q.Len())
			q.Done(item)
			s.say("%d in line", q.Len())
			s.say("%d handed out", work[string](q, func(string) {}))
		}},
		{name: "workqueue/ShutDown wakes workers", play: func(s *stage) {
			q := workqueue.NewTyped[int]()
			var ended atomic.Int64
			for range 5 {
				s.start(func(context.Context) { work[int](q, func(int) {}); ended.Add(1) })
			}
			s.settle()
			q.ShutDown()
			s.settle()
			s.say("%d of 5 have ended", ended.Load())
		}},
		{name: "workqueue/drain waits for what is in work", play: func(s *stage) {
			q := workqueue.NewTyped[string]()
			q.Add("a")
			item, _ := q.Get()
			drained := false
			s.start(func(context.Context) { q.ShutDownWithDrain(); drained = true })
			s.settle()
			s.say("%v %v", drained, q.ShuttingDown())
			q.Done(item)
			s.settle()
			s.say("%v", drained)
		}},
		{name: "workqueue/drain with a line", rows: "drain-line", play: func(s *stage) {
			q := workqueue.NewTyped[string]()
			q.Add("a")
			drained := false
			s.start(func(context.Context) { q.ShutDownWithDrain(); drained = true })
			s.settle()
			s.say("drained with an item in line: %v", drained)
			s.say("%d", work[string](q, func(string) {}))
			s.settle()
			s.say("%v", drained)
		}},
		{name: "workqueue/several drain", rows: "drain-several", play: func(s *stage) {
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
			s.say("%d of 3 have been woken", drained.Load())
			q.ShutDown() // which ends the others
		}},
		{name: "workqueue/workers during a drain", rows: "drain-idle", play: func(s *stage) {
			q := workqueue.NewTyped[string]()
			q.Add("a")
			item, _ := q.Get()
			q.Add("a")
			handed := 0
			s.start(func(context.Context) { q.ShutDownWithDrain() })
			s.settle()
			s.start(func(context.Context) { handed = work[string](q, func(string) {}) })
			s.settle()
			q.Done(item)
			s.settle()
			s.say("an idle worker was handed %d", handed)
			q.ShutDown()
			s.settle()
			s.say("later still: %d", work[string](q, func(string) {}))
		}},
		{name: "workqueue/drain and then ShutDown", play: func(s *stage) {
			q := workqueue.NewTyped[string]()
			q.Add("a")
			_, _ = q.Get()
			drained := false
			s.start(func(context.Context) { q.ShutDownWithDrain(); drained = true })
			s.settle()
			q.ShutDown()
			s.settle()
			s.say("%v", drained)
		}},
		{name: "workqueue/a queue of one's own", play: func(s *stage) {
			q := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[string]{Queue: &lifo{}})
			for _, item := range []string{"a", "b", "c", "a"} {
				q.Add(item)
			}
			s.say("%d: %s %s %s", q.Len(), next(q), next(q), next(q))
			own := workqueue.DefaultQueue[string]()
			own.Push("x")
			own.Push("y")
			own.Touch("x")
			s.say("%d %s %s %d", own.Len(), own.Pop(), own.Pop(), own.Len())
		}},
		{name: "workqueue/no item twice at once", play: func(s *stage) {
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
			s.say("twice at once: %d, seen: %v", twice, done > 7)
		}},
		{name: "workqueue/untyped", play: func(s *stage) {
			q := workqueue.NewNamedRateLimitingQueue(workqueue.DefaultControllerRateLimiter(), "name")
			q.Add("a")
			q.Add(7)
			q.Add(struct{ x int }{1})
			q.Add(nil)
			for range 4 {
				item, shutdown := q.Get()
				s.say("%v %v", item, shutdown)
				q.Done(item)
			}
			q.AddAfter("late", time.Second)
			item, _ := q.Get()
			s.say("%v at %v", item, s.now())
			q.Done(item)
			q.ShutDown()
			plain := workqueue.NewNamed("plain")
			plain.Add(1)
			plain.ShutDown()
			item, shutdown := plain.Get()
			s.say("%v %v", item, shutdown)
		}},
		{name: "workqueue/items that cannot be hashed", play: func(s *stage) {
			q := workqueue.New()
			s.attempt("add", func() { q.Add([]string{"x"}) })
			q.Add("fine")
			s.say("%d", q.Len())
		}},
		{name: "workqueue/parallel", play: func(s *stage) {
			var done atomic.Int64
			workqueue.ParallelizeUntil(context.Background(), 4, 100, func(int) { done.Add(1) })
			s.say("%d", done.Load())
			done.Store(0)
			workqueue.ParallelizeUntil(context.Background(), 4, 10, func(piece int) { done.Add(int64(piece)) }, workqueue.WithChunkSize(3))
			s.say("%d", done.Load())
			ctx, cancel := context.WithCancel(context.Background())
			done.Store(0)
			workqueue.ParallelizeUntil(ctx, 1, 100, func(piece int) {
				if piece == 4 {
					cancel()
				}
				done.Add(1)
			})
			s.say("%d", done.Load())
			workqueue.ParallelizeUntil(context.Background(), 4, 0, func(int) { panic("not called") })
			//lint:ignore SA1012 a nil context is what is tried
			workqueue.ParallelizeUntil(nil, 4, 2, func(int) {})
			s.say("done")
		}},
		{name: "workqueue/parallel with no workers", rows: "no-workers", play: func(s *stage) {
			done := 0
			workqueue.ParallelizeUntil(context.Background(), 0, 10, func(int) { done++ })
			s.say("%d of 10 pieces", done)
		}},
	}
}
