package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/workqueue"
)

// Pod is as much of a pod as this controller looks at: its name. What a type has
// no field for is not decoded, and takes no memory.
type Pod struct {
	rest.SlimMeta `json:"metadata"`
}

// Controller demonstrates how to implement a controller by hand. Package
// controller does all of it, and more.
type Controller struct {
	indexer  indexer.Reader[*Pod]
	queue    workqueue.TypedRateLimitingInterface[string]
	informer *informer.SharedInformer[*Pod]

	out io.Writer
	// fails is the name of a pod that cannot be synced, to show what happens then.
	fails string
}

// NewController creates a new Controller, whose informer fills its queue.
func NewController(queue workqueue.TypedRateLimitingInterface[string], pods *informer.SharedInformer[*Pod], out io.Writer, fails string) (*Controller, error) {
	// Bind the queue to the informer, so that whenever the cache is updated the
	// pod's key is added to the queue. When the key is finally processed, the pod
	// in the cache may be newer than the version that has brought the key.
	enqueue := func(pod *Pod) {
		if key, err := indexer.MetaNamespaceKeyFunc(pod); err == nil {
			queue.Add(key)
		}
	}
	_, err := pods.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{
		AddFunc:    func(pod *Pod, isInInitialList bool) { enqueue(pod) },
		UpdateFunc: func(old, new *Pod) { enqueue(new) },
		DeleteFunc: func(pod *Pod, finalStateUnknown bool) { enqueue(pod) }, // a pod in any case: there are no tombstones
	}, informer.HandlerOptions{})
	if err != nil {
		return nil, err
	}
	return &Controller{indexer: pods.Reader(), queue: queue, informer: pods, out: out, fails: fails}, nil
}

// processNextItem waits for the next key and processes it. It is false when there
// will be no more.
func (c *Controller) processNextItem() bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	// Tell the queue that we are done with this key: only then will another worker
	// get it. So no pod is ever processed by two workers at once.
	defer c.queue.Done(key)

	// The business logic, and then what is to be done if it has failed.
	c.handleErr(c.syncToStdout(key), key)
	return true
}

// syncToStdout is the business logic: it prints what it knows of the pod. If
// something goes wrong it returns the error; to try again is not its business.
func (c *Controller) syncToStdout(key string) error {
	pod, exists := c.indexer.Get(key)
	if !exists {
		fmt.Fprintf(c.out, "Pod %s does not exist anymore\n", key)
		return nil
	}
	if pod.Name == c.fails {
		return errors.New("it is told to fail")
	}
	// A controller of what depends on the very pod has to look at its uid as well:
	// it may have been replaced by another one of the same name.
	fmt.Fprintf(c.out, "Sync/Add/Update for Pod %s\n", pod.Name)
	return nil
}

// handleErr sees to it that what has failed is tried again, later each time, and
// five times at most.
func (c *Controller) handleErr(err error, key string) {
	if err == nil {
		// Forget the failures of the key, so that the next one is a first one.
		c.queue.Forget(key)
		return
	}
	if c.queue.NumRequeues(key) < 5 {
		fmt.Fprintf(c.out, "Error syncing Pod %s: %v\n", key, err)
		c.queue.AddRateLimited(key)
		return
	}
	c.queue.Forget(key)
	fmt.Fprintf(c.out, "Dropping Pod %s out of the queue: %v\n", key, err)
}

// Run begins watching and syncing, and goes on until ctx is done.
func (c *Controller) Run(ctx context.Context, workers int) error {
	fmt.Fprintln(c.out, "Starting Pod controller")
	defer fmt.Fprintln(c.out, "Stopping Pod controller")

	informed := make(chan error, 1)
	go func() { informed <- c.informer.Run(ctx) }()

	// Before the cache is filled nobody knows what exists.
	if err := c.informer.WaitForSync(ctx); err != nil {
		c.queue.ShutDown()
		return errors.Join(err, <-informed)
	}
	var working sync.WaitGroup
	for range workers {
		working.Go(c.runWorker)
	}
	<-ctx.Done()
	c.queue.ShutDown() // the workers finish what they have, and what is in line
	working.Wait()
	return <-informed
}

func (c *Controller) runWorker() {
	for c.processNextItem() {
	}
}
