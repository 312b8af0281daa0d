// Command dynamic-clientgo follows the pods of a server with an informer and a lister of the
// factory of client-go's dynamic client.
package main

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/thinformer/thinformer/bench/size/probe"
)

func main() {
	p := probe.Begin()
	client, err := dynamic.NewForConfig(&rest.Config{Host: p.Address()})
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
