package controller_test

import (
	"context"
	"fmt"
	"log/slog"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// Each config map has an account outside of the cluster. The account is closed before
// the config map is deleted.
func ExampleFinalize() {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		panic(err)
	}
	defer client.Close()
	maps := rest.NewResource[*configMap](client, configMaps)
	factory := informer.NewFactory(informer.FactoryOptions{})
	cached := informer.For(factory, maps, informer.Options[*configMap]{})

	opened := make(chan struct{})
	ctx, stop := context.WithCancel(context.Background())
	work := func(_ context.Context, m *configMap) (controller.Result, error) {
		fmt.Println("open the account; finalizers:", m.Finalizers)
		close(opened)
		return controller.Result{}, nil
	}
	cleanup := func(context.Context, *configMap) (controller.Result, error) {
		fmt.Println("close the account")
		return controller.Result{}, nil
	}
	c := controller.New("accounts", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
		m, ok := cached.Get(req.String())
		if !ok {
			fmt.Println(req.Name, "is deleted")
			stop()
			return controller.Result{}, nil
		}
		return controller.Finalize(ctx, maps.Namespace(req.Namespace), m, "example.com/account", cleanup, work)
	}), controller.Options{})
	// A change of the finalizers needs no reconcile. The start of the deletion does.
	controller.For(c, cached, controller.Changed(func(m *configMap) bool { return m.DeletionTimestamp != nil }))

	apitest.Create(nil, srv, newMap("shop"))
	deleted := make(chan error, 1)
	go func() {
		<-opened
		deleted <- maps.Namespace("default").Delete(context.WithoutCancel(ctx), "shop", metav1.DeleteOptions{})
	}()
	discard := slog.New(slog.DiscardHandler)
	if err := controller.Run(ctx, controller.RunOptions{Factory: factory, Logger: discard, NoSignals: true}, c); err != nil {
		panic(err)
	}
	if err := <-deleted; err != nil {
		panic(err)
	}
	// Output:
	// open the account; finalizers: [example.com/account]
	// close the account
	// shop is deleted
}
