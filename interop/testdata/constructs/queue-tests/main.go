// The keys of an informer's objects go through a queue. The tests create a queue of their
// own, in the package and outside of it.
package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

func main() {
	ctx := context.Background()
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	worker := &Worker{Queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())}
	if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(worker.Handler()); err != nil {
		panic(err)
	}
	factory.Start(ctx.Done())
	for worker.Next(func(key string) error { fmt.Println(key); return nil }) {
	}
}

// A Worker takes keys from a queue.
type Worker struct {
	Queue workqueue.TypedRateLimitingInterface[string]
}

// Handler adds the keys of objects to the queue.
func (w *Worker) Handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{AddFunc: w.add, DeleteFunc: w.add}
}

func (w *Worker) add(obj any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
		w.Queue.Add(key)
	}
}

// Next processes one key. It returns false after the shutdown of the queue.
func (w *Worker) Next(process func(key string) error) bool {
	key, shutdown := w.Queue.Get()
	if shutdown {
		return false
	}
	defer w.Queue.Done(key)
	if process(key) != nil {
		w.Queue.AddRateLimited(key)
		return true
	}
	w.Queue.Forget(key)
	return true
}
