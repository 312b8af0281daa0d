// Command dynamic-imports is dynamic-clientgo with three other imports, and with the client of
// the factory's package.
package main

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/bench/size/probe"
	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/interop/dynamicinformer"
	"github.com/thinformer/thinformer/workqueue"
)

func main() {
	p := probe.Begin()
	client, err := dynamicinformer.NewClientForConfig(&rest.Config{Host: p.Address()})
	probe.Check(err)
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	pods := factory.ForResource(schema.GroupVersionResource{Version: "v1", Resource: "pods"})
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())
	enqueue := func(obj any) {
		name, err := cache.DeletionHandlingObjectToName(obj)
		probe.Check(err)
		queue.Add(name)
	}
	_, err = pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { enqueue(obj); p.Added() },
		UpdateFunc: func(_, obj any) { enqueue(obj); p.Updated() },
		DeleteFunc: enqueue,
	})
	probe.Check(err)
	ctx := context.Background()
	factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), pods.Informer().HasSynced)
	for name, shutdown := queue.Get(); !shutdown; name, shutdown = queue.Get() {
		obj, err := pods.Lister().ByNamespace(name.Namespace).Get(name.Name)
		if err == nil {
			if node, _, _ := unstructured.NestedString(obj.(*unstructured.Unstructured).Object, "spec", "nodeName"); node == "" {
				queue.AddRateLimited(name)
			}
		}
		if !apierrors.IsNotFound(err) {
			probe.Check(err)
		}
		queue.Forget(name)
		queue.Done(name)
	}
}
