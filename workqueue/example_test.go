package workqueue_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/workqueue"
)

func ExampleNewTyped() {
	q := workqueue.NewTyped[string]()
	q.Add("default/web")
	q.Add("default/db")
	q.Add("default/web") // already waiting

	var workers sync.WaitGroup
	workers.Go(func() {
		for {
			key, shutdown := q.Get()
			if shutdown {
				return
			}
			fmt.Println("reconcile", key)
			q.Done(key)
		}
	})
	q.ShutDownWithDrain()
	workers.Wait()
	// Output:
	// reconcile default/web
	// reconcile default/db
}

func ExampleNewTypedDelayingQueue() {
	q := workqueue.NewTypedDelayingQueue[string]()
	defer q.ShutDown()
	q.AddAfter("delayed", 10*time.Millisecond)
	q.AddAfter("immediate", 0)
	for range 2 {
		key, _ := q.Get()
		fmt.Println(key)
		q.Done(key)
	}
	// Output:
	// immediate
	// delayed
}

func ExampleNewTypedRateLimitingQueue() {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Millisecond, time.Second)
	q := workqueue.NewTypedRateLimitingQueue(limiter)
	defer q.ShutDown()
	q.Add("default/web")
	for try := 1; ; try++ {
		key, _ := q.Get()
		if try < 4 {
			q.AddRateLimited(key)
			fmt.Println("failed", q.NumRequeues(key))
			q.Done(key)
			continue
		}
		q.Forget(key)
		q.Done(key)
		fmt.Println("succeeded", q.NumRequeues(key))
		return
	}
	// Output:
	// failed 1
	// failed 2
	// failed 3
	// succeeded 0
}

func ExampleNewPriorityQueue() {
	q := workqueue.NewPriorityQueue(workqueue.PriorityQueueConfig[string]{Age: time.Minute})
	defer q.ShutDown()
	q.AddWithPriority("listed", -1)
	q.Add("changed")
	for range 2 {
		key, _ := q.Get()
		fmt.Println(key)
		q.Done(key)
	}
	// Output:
	// changed
	// listed
}

// newestFirst is a Queue that returns the newest item first.
type newestFirst struct{ keys []string }

func (q *newestFirst) Touch(string)    {}
func (q *newestFirst) Push(key string) { q.keys = append(q.keys, key) }
func (q *newestFirst) Len() int        { return len(q.keys) }
func (q *newestFirst) Pop() string {
	last := len(q.keys) - 1
	key := q.keys[last]
	q.keys = q.keys[:last]
	return key
}

func ExampleQueue() {
	q := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[string]{Queue: new(newestFirst)})
	defer q.ShutDown()
	q.Add("old")
	q.Add("new")
	key, _ := q.Get()
	fmt.Println(key)
	q.Done(key)
	// Output: new
}

func ExampleParallelizeUntil() {
	var sum atomic.Int64
	workqueue.ParallelizeUntil(context.Background(), 4, 100, func(piece int) {
		sum.Add(int64(piece))
	}, workqueue.WithChunkSize(10))
	fmt.Println(sum.Load())
	// Output: 4950
}
