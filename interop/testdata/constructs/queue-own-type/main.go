// The program wraps a queue and is used as one, with the queue's interfaces as parameters.
package main

import (
	"fmt"

	"k8s.io/client-go/util/workqueue"
)

type counted[T comparable] struct {
	workqueue.TypedRateLimitingInterface[T]
	adds int
}

func (c *counted[T]) Add(item T) {
	c.adds++
	c.TypedRateLimitingInterface.Add(item)
}

type order struct{ items []string }

func (o *order) Touch(string)     {}
func (o *order) Push(item string) { o.items = append(o.items, item) }
func (o *order) Len() int         { return len(o.items) }
func (o *order) Pop() string {
	last := o.items[len(o.items)-1]
	o.items = o.items[:len(o.items)-1]
	return last
}

func enqueue(queue workqueue.TypedInterface[string], items ...string) {
	for _, item := range items {
		queue.Add(item)
	}
}

func main() {
	queue := &counted[string]{TypedRateLimitingInterface: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedItemBasedRateLimiter[string]())}
	enqueue(queue, "a", "b")
	stack := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[string]{Queue: &order{}})
	enqueue(stack, "a", "b")
	fmt.Println(queue.adds, stack.Len())
}
