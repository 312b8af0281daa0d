// Command typed is a minimal controller with client-go's typed clientset and its
// informer factory, as most controllers are written. It has no client for custom
// resources, so it looks at config maps.
package main

import (
	"context"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/thinformer/thinformer/bench/size/idle"
)

func main() {
	began, address := idle.Now()
	config := &rest.Config{Host: address}
	if address == "in-cluster" {
		var err error
		config, err = rest.InClusterConfig()
		idle.Check(err)
	}
	client, err := kubernetes.NewForConfig(config)
	idle.Check(err)
	ctx := context.Background()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	factory := informers.NewSharedInformerFactory(client, 0)
	maps := factory.Core().V1().ConfigMaps()
	enqueue := func(obj any) {
		key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
		idle.Check(err)
		queue.Add(key)
	}
	_, err = maps.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: enqueue, UpdateFunc: func(_, obj any) { enqueue(obj) }, DeleteFunc: enqueue,
	})
	idle.Check(err)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for key, shutdown := queue.Get(); !shutdown; key, shutdown = queue.Get() {
		namespace, name, err := cache.SplitMetaNamespaceKey(key)
		idle.Check(err)
		if m, err := maps.Lister().ConfigMaps(namespace).Get(name); err == nil && m.Data["replicas"] != "" {
			idle.Reconciled(began)
		}
		queue.Forget(key)
		queue.Done(key)
	}
}
