package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/informer/debug"
	"github.com/thinformer/thinformer/rest"
)

// configMap has the fields of a config map that the tests need.
type configMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data,omitempty"`
}

func resource(name, kind string) rest.ResourceInfo {
	return rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: name}, Kind: kind, Namespaced: true}
}

// debugProgram is a program with a debug page: a controller of config maps, and an
// informer of secrets that may read them only if mayReadSecrets is true.
type debugProgram struct {
	srv            *apitest.Server
	page           string // the address of the page
	mayReadSecrets atomic.Bool
	// reconcileFails is true if the reconcile of shop/parrot fails.
	reconcileFails atomic.Bool
	stop           func()
}

func runDebugProgram(t *testing.T) *debugProgram {
	t.Helper()
	p := &debugProgram{}
	p.srv = apitest.NewServer(apitest.Options{Authorize: func(a apitest.Attributes) (bool, string) {
		return a.Resource != "secrets" || p.mayReadSecrets.Load(), ""
	}})
	t.Cleanup(p.srv.Close)
	client, err := rest.New(p.srv.Config())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	for i := range 120 {
		p.create(t, fmt.Sprintf("seed-%03d", i))
	}

	timeline := debug.NewTimeline(debug.TimelineOptions{})
	factory := informer.NewFactory(informer.FactoryOptions{Logger: slog.New(slog.DiscardHandler), Trace: timeline.Trace()})
	maps := informer.For(factory, rest.NewView[*configMap](client, resource("configmaps", "ConfigMap")), informer.Options[*configMap]{})
	informer.For(factory, rest.NewView[*metav1.PartialObjectMetadata](client, resource("secrets", "Secret")), informer.Options[*metav1.PartialObjectMetadata]{})
	c := controller.New("maps", controller.Func(func(_ context.Context, r controller.Request) (controller.Result, error) {
		if r.Name == "parrot" && p.reconcileFails.Load() {
			return controller.Result{}, errors.New("out of seed")
		}
		return controller.Result{}, nil
	}), controller.Options{Logger: slog.New(slog.DiscardHandler)})
	controller.For(c, maps)

	ctx, cancel := context.WithCancel(context.Background())
	listening, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		ended <- controller.Run(ctx, controller.RunOptions{
			Factory: factory, NoSignals: true, Logger: slog.New(slog.DiscardHandler),
			Serve: controller.HTTP{
				Address:  "127.0.0.1:0",
				OnListen: func(at net.Addr) { listening <- at },
				Debug:    debug.Options{Timeline: timeline, Objects: true},
			},
		}, c)
	}()
	stopped := false
	p.stop = func() {
		cancel()
		if !stopped {
			require.NoError(t, <-ended)
		}
		stopped = true
	}
	t.Cleanup(p.stop)
	p.page = "http://" + (<-listening).String() + "/debug/"
	require.NoError(t, maps.WaitForSync(ctx))
	return p
}

func (p *debugProgram) create(t *testing.T, name string) {
	t.Helper()
	apitest.Create(t, p.srv, &configMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name},
		Data:       map[string]string{"word": "hello"},
	})
}
