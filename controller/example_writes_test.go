package controller_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// A reconcile looks for the child of its object in the informer and creates one if there
// is none. If it is called again before the informer has received the child, it creates
// a second one. If it writes with the ctx of Reconcile, it is not called again before.
func Example_duplicateCreate() {
	fmt.Println("children created with another context:", children(false))
	fmt.Println("children created with the ctx of Reconcile:", children(true))
	// Output:
	// children created with another context: 3
	// the informer is late: the key of the parent waits
	// children created with the ctx of Reconcile: 1
}

// children returns the number of children after three calls of Reconcile, or after a call
// that has found a child.
func children(tracked bool) int {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		panic(err)
	}
	defer client.Close()
	maps := rest.NewResource[*configMap](client, configMaps).Namespace("default")
	discard := slog.New(slog.DiscardHandler)
	factory := informer.NewFactory(informer.FactoryOptions{Logger: discard})
	cached := informer.For(factory, maps, informer.Options[*configMap]{PreferList: true})
	srv.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.DelayEvents(time.Hour)})
	apitest.Create(nil, srv, newMap("parent"))

	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	calls := 0
	c := controller.New("parents", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
		if req.Name != "parent" {
			return controller.Result{}, nil
		}
		for obj := range cached.All() {
			if obj.GenerateName == "child-" {
				stop()
				return controller.Result{}, nil
			}
		}
		if calls++; calls == 3 {
			defer stop()
		}
		if !tracked {
			ctx = context.Background()
		}
		child := newMap("")
		child.GenerateName = "child-"
		_, err := maps.Create(ctx, child, metav1.CreateOptions{})
		return controller.Result{RequeueAfter: time.Millisecond}, err
	}), controller.Options{
		Logger:       discard,
		WriteTimeout: 100 * time.Millisecond,
		Trace: &controller.Trace{Stale: func(controller.TraceInfo, *controller.StaleError) {
			fmt.Println("the informer is late: the key of the parent waits")
			srv.RemoveFaults()
			srv.Restart() // the next watch is not late
		}},
	})
	controller.For(c, cached)
	if err := controller.Run(ctx, controller.RunOptions{Factory: factory, Logger: discard}, c); err != nil {
		panic(err)
	}
	return len(apitest.List(nil, srv, newMap(""))) - 1
}
