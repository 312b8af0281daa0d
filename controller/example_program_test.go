package controller_test

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// A controller is added to a running program, and removed with its informer.
func ExampleProgram() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	apitest.Create(nil, srv, &configMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "prices"},
	})

	factory := informer.NewFactory(informer.FactoryOptions{})
	program := controller.NewProgram(controller.RunOptions{Factory: factory, NoSignals: true})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- program.Run(ctx) }()

	reconciled := make(chan string)
	maps := informer.For(factory, rest.NewView[*configMap](client, configMaps), informer.Options[*configMap]{})
	c := controller.New("maps", controller.Func(func(_ context.Context, req controller.Request) (controller.Result, error) {
		reconciled <- req.String()
		return controller.Result{}, nil
	}), controller.Options{})
	controller.For(c, maps)
	fmt.Println("added:", program.Add(c))
	fmt.Println("reconciled:", <-reconciled)

	fmt.Println("removed:", program.Remove(ctx, c))
	maps.Release()
	fmt.Println("informers:", len(factory.Informers()))
	stop()
	fmt.Println("ended:", <-ended)
	// Output:
	// added: <nil>
	// reconciled: shop/prices
	// removed: <nil>
	// informers: 0
	// ended: <nil>
}
