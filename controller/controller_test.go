package controller_test

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

type configMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data,omitempty"`
}

var configMaps = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
	Kind:                 "ConfigMap",
	Namespaced:           true,
}

// A change of an object causes a reconcile of its key.
func TestChangeIsReconciled(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	t.Cleanup(srv.Close)
	client, err := rest.New(srv.Config())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	factory := informer.NewFactory(informer.FactoryOptions{})
	maps := informer.For(factory, rest.NewView[*configMap](client, configMaps), informer.Options[*configMap]{})
	got := make(chan controller.Request, 10)
	c := controller.New("maps", controller.Func(func(_ context.Context, req controller.Request) (controller.Result, error) {
		got <- req
		return controller.Result{}, nil
	}), controller.Options{})
	controller.For(c, maps, controller.LabelChanged)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- controller.Run(ctx, controller.RunOptions{Factory: factory}, c) }()
	apitest.Create(t, srv, &configMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}})
	if req := <-got; req.String() != "default/a" {
		t.Errorf("reconciled %s", req)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
