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

// The classic mistake: a reconcile looks into the informer for the child of its
// object, finds none, and creates one. When it is called again before the watch
// has brought the child, it creates another. With the ctx of Reconcile it is not
// called again before.
func Example_duplicateCreate() {
	fmt.Println("children, if created with a context of one's own:", children(false))
	fmt.Println("children, if created with the ctx of Reconcile:", children(true))
	// Output:
	// children, if created with a context of one's own: 3
	// the watch is late, and the parent waits
	// children, if created with the ctx of Reconcile: 1
}

// children is how many the parent has after three calls of Reconcile, or when one
// has found a child.
func children(tracked bool) int {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		panic(err)
	}
	defer client.Close()
	maps := rest.NewResource[*configMap](client, configMaps).Namespace("default")
	quiet := slog.New(slog.DiscardHandler)
	factory := informer.NewFactory(informer.FactoryOptions{Logger: quiet})
	cached := informer.For(factory, maps, informer.Options[*configMap]{PreferList: true})
	srv.Fault(apitest.Fault{On: apitest.Match{Verb: "watch"}, Do: apitest.DelayEvents(time.Hour)})
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
		Logger:       quiet,
		WriteTimeout: 100 * time.Millisecond,
		Trace: &controller.Trace{Stale: func(controller.TraceInfo, *controller.StaleError) {
			fmt.Println("the watch is late, and the parent waits")
			srv.LiftFaults()
			srv.Restart() // another watch, which is not late
		}},
	})
	controller.For(c, cached)
	if err := controller.Run(ctx, controller.RunOptions{Factory: factory, Logger: quiet}, c); err != nil {
		panic(err)
	}
	return len(apitest.List(nil, srv, newMap(""))) - 1
}
