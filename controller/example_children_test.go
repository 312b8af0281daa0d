package controller_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

type secret struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
}

var secrets = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "secrets"},
	Kind:                 "Secret",
	Namespaced:           true,
}

// The classic mistake: a reconcile looks for the child of its object in the cache,
// finds none and makes one; it is called again before the cache has seen the
// child, and makes another. With the ctx that Reconcile is given that does not
// happen: the key waits until the cache has seen what was written.
func Example_ownWrites() {
	anyCtx := func(context.Context) context.Context { return context.Background() }
	itsCtx := func(ctx context.Context) context.Context { return ctx }
	fmt.Println("written with another ctx: children", childrenMade(anyCtx))
	fmt.Println("written with Reconcile's: children", childrenMade(itsCtx))
	// Output:
	// written with another ctx: children 2
	// written with Reconcile's: children 1
}

// childrenMade is how many secrets two reconciles make for one config map, while
// the watch of the secrets is late.
func childrenMade(with func(ctx context.Context) context.Context) int {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		panic(err)
	}
	defer client.Close()
	apitest.Create(nil, srv, newMap("parent"))
	late := srv.Fault(apitest.Fault{On: apitest.Match{Verb: "watch", Resource: "secrets"}, Do: apitest.DelayEvents(time.Hour)})

	factory := informer.NewFactory(informer.FactoryOptions{})
	owners := informer.For(factory, rest.NewView[*configMap](client, configMaps), informer.Options[*configMap]{})
	children := rest.NewResource[*secret](client, secrets)
	cached := informer.For(factory, children, informer.Options[*secret]{PreferList: true})

	ctx, stop := context.WithCancel(context.Background())
	reconciles := 0
	c := controller.New("children", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
		owner, ok := owners.Get(req.String())
		if !ok {
			return controller.Result{}, nil // it is gone
		}
		if reconciles++; reconciles == 2 {
			defer stop()
		}
		for child := range cached.All() {
			if metav1.IsControlledBy(child, owner) {
				return controller.Result{}, nil // it has one
			}
		}
		child := &secret{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, GenerateName: req.Name + "-"}}
		if err := controller.SetControllerReference(owner, owners.ResourceInfo(), child); err != nil {
			return controller.Result{}, err
		}
		_, err := children.Namespace(req.Namespace).Create(with(ctx), child, metav1.CreateOptions{})
		return controller.Result{RequeueAfter: time.Millisecond}, err // something else has it called again
	}), controller.Options{})
	controller.For(c, owners)
	controller.Owns(c, cached)

	var lifting sync.WaitGroup
	defer lifting.Wait()
	lifting.Go(func() { // the watch is late until somebody waits for it
		for tick := time.Tick(50 * time.Millisecond); ctx.Err() == nil && c.State().Held == 0; {
			<-tick
		}
		late.Lift()
	})
	if err := controller.Run(ctx, controller.RunOptions{Factory: factory, NoSignals: true}, c); err != nil {
		panic(err)
	}
	return len(apitest.List(nil, srv, &secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}}))
}
