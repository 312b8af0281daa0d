package informer_test

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// One informer of the pods in a set of namespaces, which changes.
func ExampleForNamespaces() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	for _, namespace := range []string{"shop", "bank", "mail"} {
		apitest.Create(nil, srv, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web-0"}})
	}

	factory := informer.NewFactory(informer.FactoryOptions{})
	inf := informer.ForNamespaces(factory, rest.NewView[*Pod](client, pods), informer.Options[*Pod]{}, "shop", "bank")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := factory.Start(ctx); err != nil {
		fmt.Println(err)
	}
	if err := inf.WaitForSync(ctx); err != nil {
		fmt.Println(err)
	}
	fmt.Println(slices.Sorted(inf.Keys()))

	if err := inf.SetNamespaces("shop", "mail"); err != nil {
		fmt.Println(err)
	}
	if err := inf.WaitForSync(ctx); err != nil { // the list of the added namespace
		fmt.Println(err)
	}
	_, ok := inf.Get("mail/web-0")
	fmt.Println(ok, inf.Covers("bank"))
	fmt.Println(factory.Shutdown())
	// Output:
	// [bank/web-0 shop/web-0]
	// true false
	// <nil>
}

// An informer of the pods in all namespaces with a label. The namespace that is created
// later joins it.
func ExampleFollowNamespaces() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	type Namespace struct {
		metav1.ObjectMeta `json:"metadata"`
	}
	create := func(namespace, team string) {
		apitest.Create(nil, srv, &Namespace{metav1.ObjectMeta{Name: namespace, Labels: map[string]string{"team": team}}})
		apitest.Create(nil, srv, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web-0"}})
	}
	create("orders", "shop")
	create("billing", "bank")

	factory := informer.NewFactory(informer.FactoryOptions{})
	namespaceInfo := rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, Kind: "Namespace"}
	namespaces := informer.For(factory, rest.NewView[*metav1.PartialObjectMetadata](client, namespaceInfo), informer.Options[*metav1.PartialObjectMetadata]{
		TweakListOptions: func(o *metav1.ListOptions) { o.LabelSelector = "team=shop" },
	})
	inf := informer.ForNamespaces(factory, rest.NewView[*Pod](client, pods), informer.Options[*Pod]{})
	if _, err := informer.FollowNamespaces(inf, namespaces); err != nil {
		fmt.Println(err)
	}
	added := make(chan string)
	if _, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{
		AddFunc: func(pod *Pod, isInInitialList bool) { added <- pod.Namespace + "/" + pod.Name },
	}, informer.HandlerOptions{}); err != nil {
		fmt.Println(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := factory.Start(ctx); err != nil {
		fmt.Println(err)
	}
	fmt.Println(<-added)
	create("stock", "shop")
	fmt.Println(<-added)
	fmt.Println(inf.Covers("billing"))
	fmt.Println(factory.Shutdown())
	// Output:
	// orders/web-0
	// stock/web-0
	// false
	// <nil>
}
