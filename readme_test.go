package thinformer_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// The README's snippets stand below, so that they compile and run. Its program
// is run as it is: see TestProgramsRun.

type ConfigMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data"`
}

var configMaps = rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Kind: "ConfigMap", Namespaced: true}

func TestGreeter(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	srv.Fault(apitest.Fault{ // what can go wrong will: the first write is refused
		On:  apitest.Match{Verb: "update", Resource: "configmaps"},
		Nth: 1,
		Do:  apitest.Fail(http.StatusInternalServerError, 0),
	})

	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { runGreeter(ctx, client) }) // yours, which calls controller.Run
	defer func() { stop(); running.Wait() }()

	parrot := apitest.Create(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "parrot"}})
	apitest.Wait(t, srv, parrot, func(m *ConfigMap) bool { return m.Data["word"] == "hello" })
}

// runGreeter has every config map say hello.
func runGreeter(ctx context.Context, client *rest.Client) error {
	resource := rest.NewResource[*ConfigMap](client, configMaps)
	factory := informer.NewFactory(informer.FactoryOptions{})
	cache := informer.For(factory, resource, informer.Options[*ConfigMap]{})
	greeter := controller.New("greeter", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
		m, ok := cache.Get(req.String())
		if !ok || m.Data["word"] == "hello" {
			return controller.Result{}, nil
		}
		m = informer.Clone(m)
		m.Data = map[string]string{"word": "hello"}
		_, err := resource.Namespace(req.Namespace).Update(ctx, m, metav1.UpdateOptions{})
		return controller.Result{}, err
	}), controller.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	controller.For(greeter, cache)
	return controller.Run(ctx, controller.RunOptions{Factory: factory}, greeter)
}
