package informer_test

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
