package informer_test

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// Pod has the fields of a pod that a program needs.
type Pod struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		Phase string `json:"phase,omitempty"`
	} `json:"status"`
}

var pods = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "pods"},
	Kind:                 "Pod",
	Namespaced:           true,
}

// An informer of the pods of one namespace, with a handler.
func ExampleNew() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	pod := apitest.Create(nil, srv, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-0"}})

	inf := informer.New(rest.NewView[*Pod](client, pods).Namespace("shop"), informer.Options[*Pod]{})
	done := make(chan struct{})
	_, err = inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{
		AddFunc: func(pod *Pod, isInInitialList bool) { fmt.Println("added:", pod.Name, isInInitialList) },
		UpdateFunc: func(old, pod *Pod) {
			fmt.Println("updated:", pod.Name, "is", pod.Status.Phase)
		},
		DeleteFunc: func(pod *Pod, _ bool) { fmt.Println("deleted:", pod.Name); close(done) },
	}, informer.HandlerOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- inf.Run(ctx) }()
	if err := inf.WaitForSync(ctx); err != nil {
		fmt.Println(err)
	}
	apitest.Modify(nil, srv, pod, func(p *Pod) { p.Status.Phase = "Running" })
	apitest.Delete(nil, srv, pod)
	<-done
	cancel()
	fmt.Println("ended:", <-ended)
	// Output:
	// added: web-0 true
	// updated: web-0 is Running
	// deleted: web-0
	// ended: <nil>
}

// After a write, the program waits for its version. Then the write is in the store.
func ExampleSharedInformer_WaitForVersion() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	resource := rest.NewResource[*Pod](client, pods).Namespace("default")

	inf := informer.New(resource, informer.Options[*Pod]{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error)
	go func() { ended <- inf.Run(ctx) }()

	written, err := resource.Create(ctx, &Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-0"}}, metav1.CreateOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := inf.WaitForVersion(ctx, written.ResourceVersion); err != nil {
		fmt.Println(err)
		return
	}
	stored, ok := inf.Get("default/web-0")
	fmt.Println(ok, stored.ResourceVersion == written.ResourceVersion)
	cancel()
	<-ended
	// Output: true true
}
