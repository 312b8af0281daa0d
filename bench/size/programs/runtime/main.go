// Command runtime is the minimal controller with controller-runtime.
package main

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/go-logr/logr"

	"github.com/thinformer/thinformer/bench/size/idle"
)

func main() {
	began, address := idle.Now()
	log.SetLogger(logr.Discard())
	config := &rest.Config{Host: address}
	if address == "in-cluster" {
		var err error
		config, err = rest.InClusterConfig()
		idle.Check(err)
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	idle.Check(err)
	widget := func() *unstructured.Unstructured {
		w := &unstructured.Unstructured{}
		w.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"})
		return w
	}
	idle.Check(ctrl.NewControllerManagedBy(manager).Named("widgets").For(widget()).Complete(reconciler(func(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
		w := widget()
		if err := manager.GetClient().Get(ctx, req.NamespacedName, w); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
		if replicas, _, _ := unstructured.NestedInt64(w.Object, "spec", "replicas"); replicas > 0 {
			idle.Reconciled(began)
		}
		return ctrl.Result{}, nil
	})))
	idle.Check(manager.Start(context.Background()))
}

type reconciler func(context.Context, ctrl.Request) (ctrl.Result, error)

func (r reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return r(ctx, req)
}
