package controller_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// A controller that prints a greeting for config maps. The first attempt fails and is
// retried.
func Example() {
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

	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	attempts := 0
	c := controller.New("greeter", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
		config, ok := cached.Get(req.String())
		if !ok {
			return controller.Result{}, nil // deleted
		}
		if attempts++; attempts == 1 {
			return controller.Result{}, errors.New("not ready")
		}
		fmt.Printf("attempt %d: hello %s, %s\n", attempts, req, config.Data["name"])
		stop()
		return controller.Result{}, nil
	}), controller.Options{Logger: slog.New(slog.DiscardHandler)})
	controller.For(c, cached)

	if _, err := maps.Namespace("default").Create(ctx, &configMap{
		ObjectMeta: metav1.ObjectMeta{Name: "greeting"}, Data: map[string]string{"name": "world"},
	}, metav1.CreateOptions{}); err != nil {
		panic(err)
	}
	if err := controller.Run(ctx, controller.RunOptions{Factory: factory, Logger: slog.New(slog.DiscardHandler)}, c); err != nil {
		panic(err)
	}
	fmt.Println("failed attempts:", c.State().Errors)
	// Output:
	// attempt 2: hello default/greeting, world
	// failed attempts: 1
}
