// A rate limiting queue of keys, and the loop of a worker.
package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
)

type request struct{ types.NamespacedName }

func main() {
	queue := workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.DefaultTypedControllerRateLimiter[request](),
		workqueue.TypedRateLimitingQueueConfig[request]{Name: "requests"})
	queue.AddRateLimited(request{types.NamespacedName{Namespace: "shop", Name: "web"}})
	go func() {
		for {
			r, shutdown := queue.Get()
			if shutdown {
				return
			}
			if queue.NumRequeues(r) < 5 {
				fmt.Println(r)
			}
			queue.Forget(r)
			queue.Done(r)
		}
	}()
	queue.ShutDownWithDrain()
}
