package docs_test

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

// This file has the program of docs/your-controller.md, so that it compiles.
// yourcontroller_run_test.go has the test of that page.

type Website struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Title  string `json:"title"`
		Secret string `json:"secret,omitempty"` // section 8
	} `json:"spec"`
	Status struct {
		Published string `json:"published,omitempty"`
	} `json:"status,omitzero"` // omitzero: a write of the spec does not contain an empty status
}

var websites = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "websites"},
	Kind:                 "Website",
	Namespaced:           true,
}

type dns interface {
	Register(name string) error // idempotent
	Unregister(name string) error
}

type reconciler struct {
	dns            dns
	websites       *rest.Resource[*Website]           // for writes
	websiteCache   *informer.SharedInformer[*Website] // for reads
	configMaps     *rest.Resource[*ConfigMap]
	configMapCache *informer.SharedInformer[*ConfigMap]
}

func (r *reconciler) Reconcile(ctx context.Context, req controller.Request) (controller.Result, error) {
	w, ok := r.websiteCache.Get(req.String())
	if !ok {
		return controller.Result{}, nil // already deleted; the finalizer has done the cleanup
	}
	return controller.Finalize(ctx, r.websites, w, "websites.example.com/dns", r.cleanUp, r.ensure)
}

// cleanUp removes what exists outside of the cluster for a website that is being deleted.
func (r *reconciler) cleanUp(ctx context.Context, w *Website) (controller.Result, error) {
	return controller.Result{}, r.dns.Unregister(w.Name)
}

// ensure creates or updates everything that a website needs.
func (r *reconciler) ensure(ctx context.Context, w *Website) (controller.Result, error) {
	if err := r.dns.Register(w.Name); err != nil {
		return controller.Result{}, err // the key is retried with back-off
	}
	if err := r.ensureConfigMap(ctx, w); err != nil {
		return controller.Result{}, err
	}
	if w.Status.Published == w.Spec.Title {
		return controller.Result{}, nil
	}
	w = informer.Clone(w) // the objects of a cache are shared
	w.Status.Published = w.Spec.Title
	_, err := r.websites.UpdateStatus(ctx, w, metav1.UpdateOptions{})
	return controller.Result{}, err
}

// ensureConfigMap creates or updates the config map of a website.
func (r *reconciler) ensureConfigMap(ctx context.Context, w *Website) error {
	have, ok := r.configMapCache.Get(w.Namespace + "/" + w.Name)
	want := &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Name}}
	if ok {
		want = informer.Clone(have)
	}
	want.Data = map[string]string{"title": w.Spec.Title}
	// This is an error if the config map has another controller.
	if err := controller.SetControllerReference(w, websites, want); err != nil {
		return err
	}
	if !ok {
		_, err := r.configMaps.Create(ctx, want, metav1.CreateOptions{})
		return err
	}
	_, err := r.configMaps.MergePatch(ctx, have, want, metav1.PatchOptions{}) // sends no request without a change
	return err
}

func runWebsites(ctx context.Context, client *rest.Client, dns dns) error {
	r := &reconciler{
		dns:        dns,
		websites:   rest.NewResource[*Website](client, websites),
		configMaps: rest.NewResource[*ConfigMap](client, configMaps),
	}
	factory := informer.NewFactory(informer.FactoryOptions{})
	r.websiteCache = informer.For(factory, r.websites, informer.Options[*Website]{})
	r.configMapCache = informer.For(factory, r.configMaps, informer.Options[*ConfigMap]{})

	c := controller.New("website", r, controller.Options{MaxConcurrentReconciles: 4})
	controller.For(c, r.websiteCache, controller.GenerationChanged) // status writes do not reconcile again
	controller.Owns(c, r.configMapCache)                            // changes of owned config maps reconcile their website

	return controller.Run(ctx, controller.RunOptions{
		Factory: factory,
		Leader:  leader.New(client, leader.Options{Namespace: "default", Name: "website"}),
		Serve:   controller.HTTP{Address: "127.0.0.1:0"}, // /healthz, /readyz, /debug/; use a fixed port
	}, c)
}

func runHere(ctx context.Context, dns dns) error {
	loaded, err := kubeconfig.Load(kubeconfig.Options{})
	if err != nil {
		return err
	}
	client, err := rest.New(loaded.Config)
	if err != nil {
		return err
	}
	defer client.Close()
	return runWebsites(ctx, client, dns)
}
