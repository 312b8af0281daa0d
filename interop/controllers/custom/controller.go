package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/thinformer/thinformer/interop/controllers/steps"
	shopv1 "github.com/thinformer/thinformer/interop/testdata/widgets/apis/shop/v1"
	"github.com/thinformer/thinformer/interop/testdata/widgets/generated/clientset/versioned"
	shopinformers "github.com/thinformer/thinformer/interop/testdata/widgets/generated/informers/externalversions/shop/v1"
	shoplisters "github.com/thinformer/thinformer/interop/testdata/widgets/generated/listers/shop/v1"
)

// placeKey is the annotation of a widget with its place.
const placeKey = "example.com/place"

// controller gives places to widgets.
type controller struct {
	client   versioned.Interface
	widgets  shoplisters.WidgetLister
	stock    shoplisters.StockLister
	synced   []cache.InformerSynced
	queue    workqueue.TypedRateLimitingInterface[cache.ObjectName]
	recorder *steps.Recorder
}

func newController(client versioned.Interface, group shopinformers.Interface, recorder *steps.Recorder) (*controller, error) {
	c := &controller{
		client:   client,
		widgets:  group.Widgets().Lister(),
		stock:    group.Stocks().Lister(),
		queue:    workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
		recorder: recorder,
	}
	for _, informer := range []cache.SharedIndexInformer{group.Widgets().Informer(), group.Stocks().Informer()} {
		registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { c.enqueueAll() },
			UpdateFunc: func(_, _ any) { c.enqueueAll() },
			DeleteFunc: c.deleted,
		})
		if err != nil {
			return nil, err
		}
		c.synced = append(c.synced, registration.HasSynced)
	}
	return c, nil
}

// enqueueAll enqueues all widgets: every change can move a place.
func (c *controller) enqueueAll() {
	all, err := c.widgets.List(labels.Everything())
	if err != nil {
		c.recorder.Report("list the widgets: %v", err)
	}
	for _, widget := range all {
		c.queue.Add(cache.MetaObjectToName(widget))
	}
}

func (c *controller) deleted(obj any) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	if widget, ok := obj.(*shopv1.Widget); ok {
		c.recorder.Report("%s, which was %s, was deleted", widget.Name, widget.Spec.Colour)
	}
	c.enqueueAll()
}

// run reconciles until ctx is done, one key at a time.
func (c *controller) run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	defer c.queue.ShutDown()
	if !cache.WaitForCacheSync(ctx.Done(), c.synced...) {
		return fmt.Errorf("wait for the first lists: %w", context.Cause(ctx))
	}
	running.Go(func() {
		for c.processNextItem(ctx) {
		}
	})
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

func (c *controller) reconcile(ctx context.Context, name cache.ObjectName) error {
	all, err := c.widgets.Widgets(name.Namespace).List(labels.Everything())
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b *shopv1.Widget) int { return cmp.Compare(a.Name, b.Name) })
	rank := slices.IndexFunc(all, func(widget *shopv1.Widget) bool { return widget.Name == name.Name })
	if rank < 0 {
		return nil
	}
	stock, err := c.stock.Get(stockName)
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	place := "none"
	if stock != nil && rank < int(stock.Places) {
		place = fmt.Sprintf("place %d", rank+1)
	}
	if all[rank].Annotations[placeKey] == place {
		return nil
	}
	widget := all[rank].DeepCopy()
	metav1.SetMetaDataAnnotation(&widget.ObjectMeta, placeKey, place)
	if _, err := c.client.ShopV1().Widgets(name.Namespace).Update(ctx, widget, metav1.UpdateOptions{}); err != nil {
		return err
	}
	c.recorder.Report("%s: %s", name.Name, place)
	return nil
}
