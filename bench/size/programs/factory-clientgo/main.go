// Command factory-clientgo follows the pods of a server like client-go's sample controller,
// with an informer and a lister of a generated factory.
package main

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/thinformer/thinformer/bench/size/probe"
)

func main() {
	p := probe.Begin()
	clientset, err := kubernetes.NewForConfig(&rest.Config{Host: p.Address()})
	probe.Check(err)
	factory := informers.NewSharedInformerFactory(clientset, 0)
	pods := factory.Core().V1().Pods()
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
		pod, err := pods.Lister().Pods(name.Namespace).Get(name.Name)
		if err == nil && pod.Spec.NodeName == "" {
			queue.AddRateLimited(name)
		}
		if !apierrors.IsNotFound(err) {
			probe.Check(err)
		}
		queue.Forget(name)
		queue.Done(name)
	}
}
