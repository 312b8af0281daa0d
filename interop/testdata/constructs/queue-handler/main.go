// Handlers in the style of controller-runtime: each event gets the queue as a parameter.
package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type request = types.NamespacedName

type eventHandler interface {
	Create(ctx context.Context, obj metav1.Object, queue workqueue.TypedRateLimitingInterface[request])
}

type enqueue struct{}

func (enqueue) Create(_ context.Context, obj metav1.Object, queue workqueue.TypedRateLimitingInterface[request]) {
	queue.Add(request{Namespace: obj.GetNamespace(), Name: obj.GetName()})
}

func funcs(ctx context.Context, handler eventHandler, queue workqueue.TypedRateLimitingInterface[request]) cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
		if o, ok := obj.(metav1.Object); ok {
			handler.Create(ctx, o, queue)
		}
	}}
}

func main() {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[request]())
	funcs(context.Background(), enqueue{}, queue).OnAdd(&metav1.ObjectMeta{Name: "web"}, false)
	fmt.Println(queue.Len())
}
