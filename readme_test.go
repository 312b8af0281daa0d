package thinformer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/deltafifo"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/workqueue"
)

// The README's snippets stand below, so that they compile and run.

type Pod struct {
	metav1.ObjectMeta
	Node string
}

func Example() {
	pod := &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web-0"}, Node: "worker-1"}

	pods := indexer.New(indexer.Options[*Pod]{})
	byNode, err := pods.AddIndex("node", func(p *Pod) []string { return []string{p.Node} })
	// ...
	err = pods.Add(pod)
	for p := range byNode.Find("worker-1") { // no copy, no lock, no error
		fmt.Println(p.Name)
	}

	ctx := context.Background()
	queue := deltafifo.New(deltafifo.Options[*Pod]{KnownObjects: pods})
	err = queue.Update(pod) // a reflector does this
	err = queue.PopBatch(ctx, 1000, func(deltas []deltafifo.Delta[*Pod], batch deltafifo.Batch) error {
		changes := make([]indexer.Change[*Pod], 0, len(deltas))
		for _, d := range deltas {
			changes = append(changes, indexer.Change[*Pod]{Key: d.Key, Object: d.Object, Delete: d.Type == deltafifo.Deleted})
		}
		return pods.Apply(changes, batch.Version)
	})
	fmt.Println(err)
	work(func(key string) error { fmt.Println("reconcile", key); return nil })
	// Output:
	// web-0
	// <nil>
	// reconcile default/web-0
}

func Example_rest() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintln(w, `{"kind":"DeploymentList","metadata":{"resourceVersion":"7"},"items":[
			{"metadata":{"name":"web"},"spec":{"replicas":3,"template":{}}},
			{"metadata":{"name":"db"},"spec":{"replicas":1}}]}`)
	}))
	defer server.Close()
	list(context.Background(), &rest.Config{Host: server.URL})
	// Output:
	// web 3
	// db 1
}

func list(ctx context.Context, config *rest.Config) error {
	type Deployment struct { // a type of k8s.io/api would do as well
		rest.SlimMeta `json:"metadata"`
		Spec          struct {
			Replicas int32 `json:"replicas"`
		} `json:"spec"`
	}

	client, err := rest.New(config) // of kubeconfig.Load, or rest.InCluster
	// ...
	if err != nil {
		return err
	}
	defer client.Close()
	deployments := rest.NewView[*Deployment](client, rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"},
		Namespaced:           true,
	})
	list, err := deployments.List(ctx, metav1.ListOptions{})
	// ...
	if err != nil {
		return err
	}
	for d, err := range list.Items() { // all pages, one object at a time in memory
		// ...
		if err != nil {
			return err
		}
		fmt.Println(d.Name, d.Spec.Replicas)
	}
	return nil
}

func TestReadmeServer(t *testing.T) {
	type Deployment struct {
		rest.SlimMeta `json:"metadata"`
	}

	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config()) // or client-go's, or kubectl
	// ...
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	apitest.Create(t, srv, &Deployment{SlimMeta: rest.SlimMeta{Namespace: "shop", Name: "web"}})
	srv.Fault(apitest.Fault{
		On: apitest.Match{Verb: "watch", Resource: "deployments"},
		Do: apitest.AfterEvents(1, apitest.Break()), // each watch is lost in its second event
	})
	apitest.Create(t, srv, &Deployment{SlimMeta: rest.SlimMeta{Namespace: "shop", Name: "db"}})
	watch, err := rest.NewView[*Deployment](client, rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"},
		Namespaced:           true,
	}).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	if event, err := watch.Next(t.Context()); err != nil || event.Object.Name != "db" {
		t.Errorf("%+v, %v", event, err)
	}
	if event, err := watch.Next(t.Context()); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("%+v, %v", event, err)
	}
}

func Example_informer() {
	type Deployment struct {
		rest.SlimMeta `json:"metadata"`
		Spec          struct {
			Replicas int32 `json:"replicas"`
		} `json:"spec"`
	}

	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	deployments := rest.NewView[*Deployment](client, rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"},
		Kind:                 "Deployment",
		Namespaced:           true,
	})
	apitest.Create(nil, srv, &Deployment{SlimMeta: rest.SlimMeta{Namespace: "shop", Name: "web"}})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	inf := informer.New(deployments, informer.Options[*Deployment]{})
	handler, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Deployment]{
		AddFunc:    func(d *Deployment, isInInitialList bool) { fmt.Println(d.Name, "is there") },
		UpdateFunc: func(old, new *Deployment) { fmt.Println(new.Name, old.Spec.Replicas, "->", new.Spec.Replicas) },
		DeleteFunc: func(d *Deployment, finalStateUnknown bool) { fmt.Println(d.Name, "is gone") }, // always an object, never a tombstone
	}, informer.HandlerOptions{})
	// ...
	go inf.Run(ctx)
	err = inf.WaitForSync(ctx) // says why not: 403, 404, what could not be decoded
	// ...
	<-handler.Synced()             // the handler has returned from all that was there
	web, ok := inf.Get("shop/web") // no lock, no copy
	fmt.Println(web.Name, ok, err)
	// Unordered output:
	// web is there
	// web true <nil>
}

func work(reconcile func(string) error) {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	queue.Add("default/web-0") // in an event handler, as often as it likes
	// ...
	queue.ShutDown() // so that the loop ends when the line is empty
	for key, shutdown := queue.Get(); !shutdown; key, shutdown = queue.Get() {
		if err := reconcile(key); err != nil {
			queue.AddRateLimited(key) // again, later each time
		} else {
			queue.Forget(key)
		}
		queue.Done(key) // no other worker gets this key before
	}
}
