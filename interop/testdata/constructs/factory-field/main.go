// A factory, its listers and its sync functions are fields.
package main

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type controller struct {
	factory     informers.SharedInformerFactory
	deployments appslisters.DeploymentLister
	pods        corelisters.PodLister
	synced      []cache.InformerSynced
	queue       workqueue.TypedRateLimitingInterface[cache.ObjectName]
}

func newController(client kubernetes.Interface) (*controller, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	deployments, pods := factory.Apps().V1().Deployments(), factory.Core().V1().Pods()
	c := &controller{
		factory:     factory,
		deployments: deployments.Lister(),
		pods:        pods.Lister(),
		synced:      []cache.InformerSynced{deployments.Informer().HasSynced, pods.Informer().HasSynced},
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName](),
			workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: "deployments"}),
	}
	_, err := deployments.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: c.enqueue, DeleteFunc: c.enqueue})
	return c, err
}

func (c *controller) enqueue(obj any) {
	if name, err := cache.DeletionHandlingObjectToName(obj); err == nil {
		c.queue.Add(name)
	}
}

func (c *controller) run(ctx context.Context) error {
	c.factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), c.synced...) {
		return errors.New("caches are not synced")
	}
	_, err := c.pods.List(labels.Everything())
	return err
}

func main() {
	c, err := newController(kubernetes.NewForConfigOrDie(&rest.Config{}))
	if err == nil {
		err = c.run(context.Background())
	}
	if err != nil {
		panic(err)
	}
}
