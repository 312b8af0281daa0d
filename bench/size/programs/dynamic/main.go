// Command dynamic is the minimal controller with client-go's rest, cache and
// dynamic packages.
package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/thinformer/thinformer/bench/size/idle"
)

var widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

func main() {
	began, address := idle.Now()
	config := &rest.Config{Host: address}
	if address == "in-cluster" {
		var err error
		config, err = rest.InClusterConfig()
		idle.Check(err)
	}
	client, err := dynamic.NewForConfig(config)
	idle.Check(err)
	ctx := context.Background()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	inf := cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return client.Resource(widgets).List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return client.Resource(widgets).Watch(ctx, options)
		},
	}, client), &unstructured.Unstructured{}, 0, cache.Indexers{})
	enqueue := func(obj any) {
		key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
		idle.Check(err)
		queue.Add(key)
	}
	_, err = inf.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: enqueue, UpdateFunc: func(_, obj any) { enqueue(obj) }, DeleteFunc: enqueue,
	})
	idle.Check(err)
	go inf.RunWithContext(ctx)
	cache.WaitForCacheSync(ctx.Done(), inf.HasSynced)
	for key, shutdown := queue.Get(); !shutdown; key, shutdown = queue.Get() {
		obj, ok, err := inf.GetStore().GetByKey(key)
		idle.Check(err)
		if ok {
			replicas, _, _ := unstructured.NestedInt64(obj.(*unstructured.Unstructured).Object, "spec", "replicas")
			if replicas > 0 {
				idle.Reconciled(began)
			}
		}
		queue.Forget(key)
		queue.Done(key)
	}
}
