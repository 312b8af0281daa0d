// Command ours is a minimal controller with thinformer: a custom resource, its
// informer, a queue, a reconcile.
package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/bench/size/idle"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

type widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Replicas int64 `json:"replicas"`
	} `json:"spec"`
}

var widgets = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"},
	Kind:                 "Widget",
	Namespaced:           true,
}

func main() {
	began, address := idle.Now()
	config := &rest.Config{Host: address}
	if address == "in-cluster" {
		var err error
		config, err = rest.InCluster()
		idle.Check(err)
	}
	client, err := rest.New(config)
	idle.Check(err)
	ctx := context.Background()
	inf := informer.New(rest.NewView[*widget](client, widgets), informer.Options[*widget]{})
	c := controller.New("widgets", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
		if w, ok := inf.Get(req.String()); ok && w.Spec.Replicas > 0 {
			idle.Reconciled(began)
		}
		return controller.Result{}, nil
	}), controller.Options{})
	controller.For(c, inf)
	go func() { idle.Check(inf.Run(ctx)) }()
	idle.Check(c.Run(ctx))
}
