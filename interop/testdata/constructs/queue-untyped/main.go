// The deprecated queues of any, named and unnamed.
package main

import (
	"fmt"
	"time"

	"k8s.io/client-go/util/workqueue"
)

type controller struct {
	queue workqueue.RateLimitingInterface
}

func main() {
	c := controller{workqueue.NewNamedRateLimitingQueue(workqueue.DefaultControllerRateLimiter(), "pods")}
	c.queue.AddAfter("shop/web", time.Second)
	key, _ := c.queue.Get()
	fmt.Println(key.(string), c.queue.Len())
	var plain workqueue.Interface = workqueue.New()
	plain.Add(1)
	var delayed workqueue.DelayingInterface = workqueue.NewDelayingQueue()
	delayed.ShutDown()
}
