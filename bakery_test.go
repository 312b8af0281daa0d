package thinformer_test

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/controller/leader"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/rest/kubeconfig"
)

// The program of docs/your-controller.md stands below, so that it compiles, and
// in bakery_run_test.go the test of it that stands there, too.

type Bakery struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Bread string `json:"bread"`
	} `json:"spec"`
	Status struct {
		Baked string `json:"baked,omitempty"`
	} `json:"status,omitzero"` // omitzero: who writes the spec does not speak of the status
}

var bakeries = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "bakeries"},
	Kind:                 "Bakery",
	Namespaced:           true,
}

type oven interface {
	Heat(bakery string) error // again does no harm
	Cool(bakery string) error
}

type baker struct {
	oven     oven
	bakeries *rest.Resource[*Bakery]           // where they are written
	cache    *informer.SharedInformer[*Bakery] // where they are read
	shelves  *rest.Resource[*ConfigMap]
	stocked  *informer.SharedInformer[*ConfigMap]
}

func (r *baker) Reconcile(ctx context.Context, req controller.Request) (controller.Result, error) {
	b, ok := r.cache.Get(req.String())
	if !ok {
		return controller.Result{}, nil // it is gone, and has been cleaned up behind
	}
	return controller.Finalize(ctx, r.bakeries, b, "bakeries.example.com/oven", r.close, r.open)
}

// close cleans up behind a bakery that is being deleted.
func (r *baker) close(ctx context.Context, b *Bakery) (controller.Result, error) {
	return controller.Result{}, r.oven.Cool(b.Name)
}

// open makes what is missing, for a bakery that is to live.
func (r *baker) open(ctx context.Context, b *Bakery) (controller.Result, error) {
	if err := r.oven.Heat(b.Name); err != nil {
		return controller.Result{}, err // the key comes again, later each time
	}
	if err := r.stock(ctx, b); err != nil {
		return controller.Result{}, err
	}
	if b.Status.Baked == b.Spec.Bread {
		return controller.Result{}, nil
	}
	b = informer.Clone(b) // what a cache hands out belongs to all
	b.Status.Baked = b.Spec.Bread
	_, err := r.bakeries.UpdateStatus(ctx, b, metav1.UpdateOptions{})
	return controller.Result{}, err
}

// stock sees to it that the bakery's config map is there, and says what it is to say.
func (r *baker) stock(ctx context.Context, b *Bakery) error {
	have, ok := r.stocked.Get(b.Namespace + "/" + b.Name)
	want := &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: b.Name}}
	if ok {
		want = informer.Clone(have)
	}
	want.Data = map[string]string{"bread": b.Spec.Bread}
	// One that is somebody else's is left alone: that is an error.
	if err := controller.SetControllerReference(b, bakeries, want); err != nil {
		return err
	}
	if !ok {
		_, err := r.shelves.Create(ctx, want, metav1.CreateOptions{})
		return err
	}
	_, err := r.shelves.MergePatch(ctx, have, want) // sends nothing if nothing is to change
	return err
}

func runBakery(ctx context.Context, client *rest.Client, oven oven) error {
	r := &baker{
		oven:     oven,
		bakeries: rest.NewResource[*Bakery](client, bakeries),
		shelves:  rest.NewResource[*ConfigMap](client, configMaps),
	}
	factory := informer.NewFactory(informer.FactoryOptions{})
	r.cache = informer.For(factory, r.bakeries, informer.Options[*Bakery]{})
	r.stocked = informer.For(factory, r.shelves, informer.Options[*ConfigMap]{})

	c := controller.New("bakery", r, controller.Options{MaxConcurrentReconciles: 4})
	controller.For(c, r.cache, controller.GenerationChanged) // not for its own writes of the status
	controller.Owns(c, r.stocked)                            // for what happens to its config maps

	return controller.Run(ctx, controller.RunOptions{
		Factory: factory,
		Leader:  leader.New(client, leader.Options{Namespace: "default", Name: "bakery"}),
		Serve:   controller.HTTP{Address: "127.0.0.1:0"}, // /healthz, /readyz, /debug/; yours has a port
	}, c)
}

func runHere(ctx context.Context, oven oven) error {
	loaded, err := kubeconfig.Load(kubeconfig.Options{})
	if err != nil {
		return err
	}
	client, err := rest.New(loaded.Config)
	if err != nil {
		return err
	}
	defer client.Close()
	return runBakery(ctx, client, oven)
}
