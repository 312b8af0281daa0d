// Command dynamic is a controller on an informer without Go types. It writes the status of
// each widget, and has a finalizer for cleanup.
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
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"

	"github.com/thinformer/thinformer/interop/controllers/steps"
)

// finalizer keeps a deleted widget until this controller has done its cleanup.
const finalizer = "example.com/cleanup"

// controller writes the size of each widget to its status.
type controller struct {
	widgets  dynamic.ResourceInterface
	informer cache.SharedIndexInformer
	lister   cache.GenericNamespaceLister
	queue    workqueue.TypedRateLimitingInterface[string]
	recorder *steps.Recorder
}

func newController(client dynamic.Interface, namespace string, recorder *steps.Recorder) (*controller, error) {
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil)
	widgets := factory.ForResource(widgetsResource)
	c := &controller{
		widgets:  client.Resource(widgetsResource).Namespace(namespace),
		informer: widgets.Informer(),
		lister:   widgets.Lister().ByNamespace(namespace),
		queue:    workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
		recorder: recorder,
	}
	if err := c.informer.SetTransform(func(obj any) (any, error) {
		if widget, ok := obj.(*unstructured.Unstructured); ok {
			widget.SetManagedFields(nil)
		}
		return obj, nil
	}); err != nil {
		return nil, err
	}
	_, err := c.informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, initial bool) {
			if initial {
				recorder.Report("%s is in the initial list", nameOf(obj))
			}
			c.enqueue(obj)
		},
		UpdateFunc: func(_, obj any) { c.enqueue(obj) },
		DeleteFunc: func(obj any) { recorder.Report("%s was deleted", nameOf(obj)) },
	})
	return c, err
}

func (c *controller) enqueue(obj any) { c.queue.Add(nameOf(obj)) }

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
	running.Go(func() { c.informer.RunWithContext(ctx) })
	if !cache.WaitForCacheSync(ctx.Done(), c.informer.HasSynced) {
		return fmt.Errorf("wait for the first list: %w", context.Cause(ctx))
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
	name, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(name)
	if err := c.reconcile(ctx, name); err != nil {
		c.queue.AddRateLimited(name)
	} else {
		c.queue.Forget(name)
	}
	return true
}

func (c *controller) reconcile(ctx context.Context, name string) error {
	obj, err := c.lister.Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	widget := obj.(*unstructured.Unstructured).DeepCopy()
	if widget.GetManagedFields() != nil {
		c.recorder.Report("%s has managed fields, which the transform should have removed", name)
	}
	finalizers := widget.GetFinalizers()
	switch has := slices.Contains(finalizers, finalizer); {
	case widget.GetDeletionTimestamp() != nil && has:
		widget.SetFinalizers(slices.DeleteFunc(finalizers, func(f string) bool { return f == finalizer }))
		if _, err := c.widgets.Update(ctx, widget, metav1.UpdateOptions{}); err != nil {
			return err
		}
		c.recorder.Report("%s: cleanup is done", name)
		return nil
	case widget.GetDeletionTimestamp() != nil:
		return nil
	case !has:
		widget.SetFinalizers(append(finalizers, finalizer))
		if widget, err = c.widgets.Update(ctx, widget, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	return c.report(ctx, widget)
}

// report writes the status of a widget if it has changed.
func (c *controller) report(ctx context.Context, widget *unstructured.Unstructured) error {
	size, _, err := unstructured.NestedInt64(widget.Object, "spec", "size")
	if err != nil {
		return err
	}
	phase := "Empty"
	if size > 0 {
		phase = fmt.Sprintf("Size%d", size)
	}
	if said, _, _ := unstructured.NestedString(widget.Object, "status", "phase"); said == phase {
		return nil
	}
	if err := unstructured.SetNestedField(widget.Object, phase, "status", "phase"); err != nil {
		return err
	}
	if _, err = c.widgets.UpdateStatus(ctx, widget, metav1.UpdateOptions{}); err == nil {
		c.recorder.Report("%s: %s", widget.GetName(), phase)
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
	users, err := newUsers(ctx, client, recorder)
	if err != nil {
		return err
	}
	c, err := newController(client, users.namespace, recorder)
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
