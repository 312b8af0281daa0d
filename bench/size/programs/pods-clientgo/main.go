// Command pods-clientgo follows the pods of a server like the example in client-go's
// documentation, with a clientset, an informer, a queue and a worker.
package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/thinformer/thinformer/bench/size/probe"
)

func main() {
	p := probe.Begin()
	clientset, err := kubernetes.NewForConfig(&rest.Config{Host: p.Address(), ContentConfig: rest.ContentConfig{ContentType: p.ContentType()}})
	probe.Check(err)
	source := cache.NewListWatchFromClient(clientset.CoreV1().RESTClient(), "pods", "", fields.Everything())
	pods := cache.NewSharedIndexInformer(source, &corev1.Pod{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	enqueue := func(obj any) {
		key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
		probe.Check(err)
		queue.Add(key)
	}
	_, err = pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { enqueue(obj); p.Added() },
		UpdateFunc: func(_, obj any) { enqueue(obj); p.Updated() },
		DeleteFunc: enqueue,
	})
	probe.Check(err)
	ctx := context.Background()
	go pods.Run(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), pods.HasSynced)
	for key, shutdown := queue.Get(); !shutdown; key, shutdown = queue.Get() {
		obj, exists, err := pods.GetIndexer().GetByKey(key)
		probe.Check(err)
		if exists && obj.(*corev1.Pod).Spec.NodeName == "" {
			queue.AddRateLimited(key)
		}
		queue.Forget(key)
		queue.Done(key)
	}
}
