//lint:file-ignore SA1019 NewIndexerInformer is deprecated, but the example in the documentation calls it.

// Command workqueue is a controller in the form of the example in client-go's
// documentation: a ListWatch of a clientset's RESTClient, an indexer and an
// informer from one call, and a rate limited queue of keys that gives up after
// five retries.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"

	"github.com/thinformer/thinformer/interop/controllers/steps"
)

// retries is the maximum number of retries of a pod.
const retries = 5

// controller reports the revision of each pod.
type controller struct {
	pods     cache.Indexer
	informer cache.Controller
	queue    workqueue.TypedRateLimitingInterface[string]
	recorder *steps.Recorder
}

func newController(clientset kubernetes.Interface, namespace string, recorder *steps.Recorder) *controller {
	c := &controller{
		queue:    workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
		recorder: recorder,
	}
	pods := cache.NewListWatchFromClient(clientset.CoreV1().RESTClient(), "pods", namespace,
		fields.OneTermNotEqualSelector("metadata.name", "hidden"))
	c.pods, c.informer = cache.NewIndexerInformer(pods, &corev1.Pod{}, 0, cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.enqueue(cache.MetaNamespaceKeyFunc(obj)) },
		UpdateFunc: func(_, obj any) { c.enqueue(cache.MetaNamespaceKeyFunc(obj)) },
		DeleteFunc: func(obj any) { c.enqueue(cache.DeletionHandlingMetaNamespaceKeyFunc(obj)) },
	}, cache.Indexers{"team": func(obj any) ([]string, error) {
		return []string{obj.(*corev1.Pod).Labels["team"]}, nil
	}})
	return c
}

func (c *controller) enqueue(key string, err error) {
	if err != nil {
		c.recorder.Report("an object without a key: %v", err)
		return
	}
	c.queue.Add(key)
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
			for c.processNextItem() {
			}
		})
	}
	<-ctx.Done()
	return nil
}

func (c *controller) processNextItem() bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	switch err := c.sync(key); {
	case err == nil:
		c.queue.Forget(key)
	case c.queue.NumRequeues(key) < retries:
		c.recorder.Report("retry %d: %v", c.queue.NumRequeues(key)+1, err)
		c.queue.AddRateLimited(key)
	default:
		c.queue.Forget(key)
		c.recorder.Report("give up: %v", err)
	}
	return true
}

func (c *controller) sync(key string) error {
	obj, exists, err := c.pods.GetByKey(key)
	if err != nil {
		return err
	}
	_, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return err
	}
	if !exists {
		c.recorder.Report("%s does not exist anymore", name)
		return nil
	}
	pod := obj.(*corev1.Pod)
	if pod.DeletionTimestamp != nil {
		return nil
	}
	if pod.Labels["revision"] == "bad" {
		return fmt.Errorf("%s has a bad revision", name)
	}
	mates, err := c.pods.ByIndex("team", pod.Labels["team"])
	if err != nil {
		return err
	}
	c.recorder.Report("%s is at revision %s, in a team of %d", name, pod.Labels["revision"], len(mates))
	return nil
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
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	recorder := steps.New(ctx, os.Stdout)
	users, err := newUsers(ctx, clientset, recorder)
	if err != nil {
		return err
	}
	c := newController(clientset, users.namespace, recorder)
	// A pod that a previous run of this controller stored, and that was deleted since.
	if err := c.pods.Add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "remembered", Namespace: users.namespace}}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- c.run(ctx, 1) }()
	failed := users.play()
	cancel()
	if err := <-ended; err != nil {
		return err
	}
	return failed
}
