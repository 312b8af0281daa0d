package informer_test

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// The program reads one of many secrets. The others are never requested.
func ExampleForBodies() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	apitest.Seed(nil, srv, 1000, func(i int) *Secret {
		return &Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprint("tls-", i)}, Data: map[string][]byte{"key": []byte("content")}}
	})

	factory := informer.NewFactory(informer.FactoryOptions{})
	bodies := informer.ForBodies(factory, rest.NewView[*Secret](client, secrets), informer.BodyOptions[*Secret]{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := factory.Start(ctx); err != nil {
		fmt.Println(err)
	}
	for range 2 {
		secret, ok, err := bodies.Get(ctx, "shop/tls-7") // waits for the first list
		fmt.Println(string(secret.Data["key"]), ok, err)
	}
	fmt.Println("objects:", bodies.State().Objects)
	fmt.Println("requests for bodies:", len(srv.Requests(apitest.Match{Verb: "get", Resource: "secrets"})))
	bodies.Release()
	fmt.Println("ended:", factory.Shutdown())
	// Output:
	// content true <nil>
	// content true <nil>
	// objects: 1000
	// requests for bodies: 1
	// ended: <nil>
}
