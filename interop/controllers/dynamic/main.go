// Command dynamic is a controller on informers without Go types. It discovers the kinds of a
// group, with an informer for each, writes the status of their objects, and has a finalizer
// for cleanup.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"

	"github.com/thinformer/thinformer/interop/controllers/steps"
)

// finalizer keeps a deleted object until this controller has done its cleanup.
const finalizer = "example.com/cleanup"

// key is an object of one of the discovered kinds.
type key struct {
	resource schema.GroupVersionResource
	name     string
}

// controller writes the size of each object to its status.
type controller struct {
	client    dynamic.Interface
	namespace string
	factory   dynamicinformer.DynamicSharedInformerFactory
	informers map[schema.GroupVersionResource]informers.GenericInformer
	queue     workqueue.TypedRateLimitingInterface[key]
	recorder  *steps.Recorder
}

func newController(client dynamic.Interface, resources []schema.GroupVersionResource, namespace string, recorder *steps.Recorder) (*controller, error) {
	c := &controller{
		client: client, namespace: namespace, recorder: recorder,
		factory:   dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil),
		informers: map[schema.GroupVersionResource]informers.GenericInformer{},
		queue:     workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[key]()),
	}
	for _, resource := range resources {
		informer := c.factory.ForResource(resource)
		c.informers[resource] = informer
		if err := c.follow(resource, informer.Informer()); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// discover returns the resources of a group and version that can be listed and watched.
func discover(client discovery.DiscoveryInterface, group, version string) (resources []schema.GroupVersionResource, err error) {
	list, err := client.ServerResourcesForGroupVersion(group + "/" + version)
	if err != nil {
		return nil, err
	}
	watched := discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list", "watch"}}, []*metav1.APIResourceList{list})
	found, err := discovery.GroupVersionResources(watched)
	for resource := range found {
		resources = append(resources, resource)
	}
	return resources, err
}

// follow adds a transform and a handler to the informer of a resource.
func (c *controller) follow(resource schema.GroupVersionResource, informer cache.SharedIndexInformer) error {
	if err := informer.SetTransform(func(obj any) (any, error) {
		if object, ok := obj.(*unstructured.Unstructured); ok {
			object.SetManagedFields(nil)
		}
		return obj, nil
	}); err != nil {
		return err
	}
	enqueue := func(obj any) { c.queue.Add(key{resource, nameOf(obj)}) }
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, initial bool) {
			if initial {
				c.recorder.Report("%s is in the initial list of %s", nameOf(obj), resource.Resource)
			}
			enqueue(obj)
		},
		UpdateFunc: func(_, obj any) { enqueue(obj) },
		DeleteFunc: func(obj any) { c.recorder.Report("%s was deleted", nameOf(obj)) },
	})
	return err
}

func nameOf(obj any) string {
	name, err := cache.DeletionHandlingObjectToName(obj)
	if err != nil {
		return err.Error()
	}
	return name.Name
}

// run reconciles until ctx is done.
func (c *controller) run(ctx context.Context, workers int) error {
	var running sync.WaitGroup
	defer running.Wait()
	defer c.queue.ShutDown()
	c.factory.Start(ctx.Done())
	defer c.factory.Shutdown()
	for resource, synced := range c.factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("wait for the first list of %s: %w", resource.Resource, context.Cause(ctx))
		}
	}
	for range workers {
		running.Go(func() {
			for c.processNextItem(ctx) {
			}
		})
	}
	<-ctx.Done()
	return nil
}

func (c *controller) processNextItem(ctx context.Context) bool {
	k, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(k)
	if err := c.reconcile(ctx, k); err != nil {
		c.queue.AddRateLimited(k)
	} else {
		c.queue.Forget(k)
	}
	return true
}

func (c *controller) reconcile(ctx context.Context, k key) error {
	obj, err := c.informers[k.resource].Lister().ByNamespace(c.namespace).Get(k.name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	client := c.client.Resource(k.resource).Namespace(c.namespace)
	object := obj.(*unstructured.Unstructured).DeepCopy()
	if object.GetManagedFields() != nil {
		c.recorder.Report("%s has managed fields, which the transform should have removed", k.name)
	}
	finalizers := object.GetFinalizers()
	switch has := slices.Contains(finalizers, finalizer); {
	case object.GetDeletionTimestamp() != nil && has:
		object.SetFinalizers(slices.DeleteFunc(finalizers, func(f string) bool { return f == finalizer }))
		if _, err := client.Update(ctx, object, metav1.UpdateOptions{}); err != nil {
			return err
		}
		c.recorder.Report("%s: cleanup is done", k.name)
		return nil
	case object.GetDeletionTimestamp() != nil:
		return nil
	case !has:
		object.SetFinalizers(append(finalizers, finalizer))
		if object, err = client.Update(ctx, object, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	return c.report(ctx, client, object)
}

// report writes the status of an object if it has changed.
func (c *controller) report(ctx context.Context, client dynamic.ResourceInterface, object *unstructured.Unstructured) error {
	size, _, err := unstructured.NestedInt64(object.Object, "spec", "size")
	if err != nil {
		return err
	}
	phase := "Empty"
	if size > 0 {
		phase = fmt.Sprintf("Size%d", size)
	}
	if said, _, _ := unstructured.NestedString(object.Object, "status", "phase"); said == phase {
		return nil
	}
	if err := unstructured.SetNestedField(object.Object, phase, "status", "phase"); err != nil {
		return err
	}
	if _, err = client.UpdateStatus(ctx, object, metav1.UpdateOptions{}); err == nil {
		c.recorder.Report("%s: %s", object.GetName(), phase)
	}
	return err
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "`path` of the kubeconfig")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *kubeconfig); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	recorder := steps.New(ctx, os.Stdout)
	discoverer, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	users, err := newUsers(ctx, client, discoverer, recorder)
	if err != nil {
		return err
	}
	resources, err := discover(discoverer, widgetsResource.Group, widgetsResource.Version)
	if err != nil {
		return fmt.Errorf("discover the kinds of %s: %w", widgetsResource.Group, err)
	}
	c, err := newController(client, resources, users.namespace, recorder)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- c.run(ctx, 2) }()
	failed := users.play()
	cancel()
	if err := <-ended; err != nil {
		return err
	}
	return failed
}
