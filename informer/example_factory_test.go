package informer_test

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// Two parts of a program need pods, and share one watch.
func ExampleFactory() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	apitest.Create(nil, srv, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-0"}})

	factory := informer.NewFactory(informer.FactoryOptions{Namespace: "shop"})
	one := informer.For(factory, rest.NewView[*Pod](client, pods), informer.Options[*Pod]{})
	two := informer.For(factory, rest.NewView[*Pod](client, pods), informer.Options[*Pod]{})

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := factory.Start(ctx); err != nil {
		fmt.Println(err)
	}
	if err := factory.WaitForSync(ctx); err != nil {
		fmt.Println(err)
	}
	for _, inf := range []*informer.SharedInformer[*Pod]{one, two} {
		pod, ok := inf.Get("shop/web-0")
		fmt.Println(pod.Name, ok)
	}
	for _, inf := range factory.Informers() {
		fmt.Println(inf.State().Name, "runs:", inf.State().Running)
	}

	one.Release()
	two.Release()
	fmt.Println("used:", len(factory.Informers()))
	fmt.Println("ended:", factory.Shutdown())
	// Output:
	// web-0 true
	// web-0 true
	// pods -n shop runs: true
	// used: 0
	// ended: <nil>
}
