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

// Pod has the fields that this controller needs: the name. Other fields are not decoded
// and take no memory.
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
	// fails is the name of a pod that cannot be synced, to demonstrate retries.
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

// processNextItem waits for the next key and processes it. It returns false when the
// queue has been shut down.
func (c *Controller) processNextItem() bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	// Tell the queue that we are done with this key. Until then, no other worker gets
	// it, so a pod is never processed by two workers at once.
	defer c.queue.Done(key)

	// Execute the business logic, and handle its error.
	c.handleErr(c.syncToStdout(key), key)
	return true
}

// syncToStdout is the business logic: it prints the state of the pod. It returns errors;
// the caller retries.
func (c *Controller) syncToStdout(key string) error {
	pod, exists := c.indexer.Get(key)
	if !exists {
		fmt.Fprintf(c.out, "Pod %s does not exist anymore\n", key)
		return nil
	}
	if pod.Name == c.fails {
		return errors.New("configured to fail")
	}
	// A controller that depends on the identity of the pod must check its uid as well:
	// it may have been replaced by another one of the same name.
	fmt.Fprintf(c.out, "Sync/Add/Update for Pod %s\n", pod.Name)
	return nil
}

// handleErr retries failed keys with backoff, at most five times.
func (c *Controller) handleErr(err error, key string) {
	if err == nil {
		// Forget the failures of the key, so that the next failure counts as the first.
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

// Run runs the controller until ctx is done.
func (c *Controller) Run(ctx context.Context, workers int) error {
	fmt.Fprintln(c.out, "Starting Pod controller")
	defer fmt.Fprintln(c.out, "Stopping Pod controller")

	informerEnded := make(chan error, 1)
	go func() { informerEnded <- c.informer.Run(ctx) }()

	// Until the cache is filled, it is unknown which pods exist.
	if err := c.informer.WaitForSync(ctx); err != nil {
		c.queue.ShutDown()
		return errors.Join(err, <-informerEnded)
	}
	var working sync.WaitGroup
	for range workers {
		working.Go(c.runWorker)
	}
	<-ctx.Done()
	c.queue.ShutDown() // the workers process the queued keys
	working.Wait()
	return <-informerEnded
}

func (c *Controller) runWorker() {
	for c.processNextItem() {
	}
}
