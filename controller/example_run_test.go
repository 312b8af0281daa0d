package controller_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// A complete program with health endpoints and a debug page on one address, which stops
// in order. With an elector of package leader as RunOptions.Leader it can run on several
// replicas; only the leader reconciles.
func ExampleRun() {
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

	ctx, stop := context.WithCancel(context.Background()) // SIGTERM ends the program as well
	var address string
	factory := informer.NewFactory(informer.FactoryOptions{})
	maps := informer.For(factory, rest.NewView[*configMap](client, configMaps), informer.Options[*configMap]{})
	c := controller.New("maps", controller.Func(func(_ context.Context, req controller.Request) (controller.Result, error) {
		if req.Namespace == "shop" {
			fmt.Println("reconciling", req)
			printResponse("http://" + address + "/readyz?verbose")
			stop()
		}
		return controller.Result{}, nil
	}), controller.Options{})
	controller.For(c, maps)

	err = controller.Run(ctx, controller.RunOptions{
		Factory: factory,
		Serve: controller.HTTP{
			Address:  "127.0.0.1:0", // ":8080" in a Pod
			OnListen: func(at net.Addr) { address = at.String() },
		},
		Logger: slog.New(slog.DiscardHandler),
	}, c)
	fmt.Println("ended:", err)
	// Output:
	// reconciling shop/prices
	// [+]program ok
	// [+]informer/configmaps ok
	// readyz check passed
	// ended: <nil>
}

func printResponse(url string) {
	response, err := http.Get(url)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Print(string(body))
}
