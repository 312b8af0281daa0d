// Rate limiters: composed, with a bucket, and of the program's own type.
package main

import (
	"fmt"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/client-go/util/workqueue"
)

type constant struct{ wait time.Duration }

func (c constant) When(string) time.Duration { return c.wait }
func (constant) Forget(string)               {}
func (constant) NumRequeues(string) int      { return 0 }

var _ workqueue.TypedRateLimiter[string] = constant{}

func main() {
	limiter := workqueue.NewTypedMaxOfRateLimiter(
		workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, time.Minute),
		&workqueue.TypedBucketRateLimiter[string]{Limiter: rate.NewLimiter(10, 100)},
		workqueue.NewTypedItemFastSlowRateLimiter[string](time.Millisecond, time.Second, 3),
		workqueue.NewTypedWithMaxWaitRateLimiter[string](constant{time.Second}, time.Minute))
	queue := workqueue.NewTypedRateLimitingQueue(limiter)
	queue.AddRateLimited("a")
	fmt.Println(queue.NumRequeues("a"))
}
