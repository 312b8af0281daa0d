// The controller takes accessors, as the sample controller does.
package main

import (
	"context"
	"fmt"
	"time"

	appsinformers "k8s.io/client-go/informers/apps/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	kubeinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type controller struct {
	deployments       appslisters.DeploymentLister
	deploymentsSynced cache.InformerSynced
	podsSynced        cache.InformerSynced
	workqueue         workqueue.TypedRateLimitingInterface[cache.ObjectName]
}

func newController(deployments appsinformers.DeploymentInformer, pods coreinformers.PodInformer) *controller {
	c := &controller{
		deployments:       deployments.Lister(),
		deploymentsSynced: deployments.Informer().HasSynced,
		podsSynced:        pods.Informer().HasSynced,
		workqueue:         workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
	}
	_, err := deployments.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.enqueue,
		UpdateFunc: func(_, obj any) { c.enqueue(obj) },
	})
	utilruntime.Must(err)
	return c
}

func (c *controller) enqueue(obj any) {
	name, err := cache.ObjectToName(obj)
	if err != nil {
		utilruntime.HandleError(err)
		return
	}
	c.workqueue.Add(name)
}

func (c *controller) run(ctx context.Context) error {
	defer c.workqueue.ShutDown()
	if !cache.WaitForCacheSync(ctx.Done(), c.deploymentsSynced, c.podsSynced) {
		return fmt.Errorf("failed to wait for caches to sync")
	}
	go wait.UntilWithContext(ctx, c.work, time.Second)
	<-ctx.Done()
	return nil
}

func (c *controller) work(ctx context.Context) {
	for {
		name, shutdown := c.workqueue.Get()
		if shutdown {
			return
		}
		if _, err := c.deployments.Deployments(name.Namespace).Get(name.Name); err != nil {
			c.workqueue.AddRateLimited(name)
		} else {
			c.workqueue.Forget(name)
		}
		c.workqueue.Done(name)
	}
}

func main() {
	ctx := context.Background()
	factory := kubeinformers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 30*time.Second)
	c := newController(factory.Apps().V1().Deployments(), factory.Core().V1().Pods())
	factory.Start(ctx.Done())
	if err := c.run(ctx); err != nil {
		panic(err)
	}
}
