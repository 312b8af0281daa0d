package controller_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// watchDelay is the delay of the watches in most of these tests.
const watchDelay = 3 * time.Second

// fixture is a server with delayed watches, and a client and a factory for controllers.
type fixture struct {
	t       *testing.T
	server  *apitest.Server
	client  *rest.Client
	maps    *rest.Resource[*configMap]
	factory *informer.Factory
}

func newFixture(t *testing.T, delay time.Duration) *fixture {
	t.Helper()
	server := apitest.NewServer(apitest.Options{InMemory: true})
	t.Cleanup(server.Close)
	client, err := rest.New(server.Config())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	if delay > 0 {
		server.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.DelayEvents(delay)})
	}
	return &fixture{
		t: t, server: server, client: client,
		maps:    rest.NewResource[*configMap](client, configMaps).Namespace("default"),
		factory: informer.NewFactory(informer.FactoryOptions{}),
	}
}

// run runs a controller until stop is called or the test ends.
func (f *fixture) run(c *controller.Controller) (stop func()) {
	ctx, cancel := context.WithCancel(f.t.Context())
	require.NoError(f.t, f.factory.Start(ctx))
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	return func() {
		cancel()
		require.NoError(f.t, <-ended)
		require.NoError(f.t, f.factory.Shutdown())
	}
}

func (f *fixture) create(name string) *configMap {
	return apitest.Create(f.t, f.server, newMap(name))
}

func newMap(name string) *configMap {
	return &configMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
	}
}

// A reconcile that looks for a child in the informer and creates one if there is none
// creates one child. Without the ctx of Reconcile it creates several, since the informer
// has not received the first one.
func TestChildIsNotCreatedTwice(t *testing.T) {
	for _, tracked := range []bool{true, false} {
		t.Run(fmt.Sprintf("tracked=%v", tracked), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFixture(t, watchDelay)
				maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
				runs := 0
				c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
					if req.Name != "parent" {
						return controller.Result{}, nil
					}
					runs++
					for obj := range maps.All() {
						if obj.GenerateName == "child-" {
							return controller.Result{}, nil
						}
					}
					if !tracked {
						ctx = context.Background()
					}
					child := newMap("")
					child.GenerateName = "child-"
					_, err := s.maps.Create(ctx, child, metav1.CreateOptions{})
					return controller.Result{RequeueAfter: time.Second}, err
				}), controller.Options{})
				controller.For(c, maps)
				s.create("parent")
				stop := s.run(c)
				time.Sleep(time.Minute)
				stop()
				children := len(apitest.List(t, s.server, newMap(""))) - 1
				if tracked {
					require.Equal(t, 1, children)
					require.Equal(t, 2, runs)
				} else {
					require.Greater(t, children, 1, "the untracked case does not show the problem")
				}
			})
		})
	}
}

// A reconcile that reads a counter from the informer and writes the next value counts
// every call. Without the ctx of Reconcile it reads old values and repeats counts.
func TestCounterDoesNotDecrease(t *testing.T) {
	for _, tracked := range []bool{true, false} {
		t.Run(fmt.Sprintf("tracked=%v", tracked), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFixture(t, watchDelay)
				maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
				counted := 0
				c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
					if !tracked {
						ctx = context.Background()
					}
					obj, _ := maps.Get(req.String())
					count, _ := strconv.Atoi(obj.Data["count"])
					counted++
					_, err := s.maps.Patch(ctx, req.Name, types.MergePatchType, fmt.Appendf(nil, `{"data":{"count":"%d"}}`, count+1), metav1.PatchOptions{})
					return controller.Result{RequeueAfter: time.Second}, err
				}), controller.Options{})
				controller.For(c, maps)
				s.create("counter")
				stop := s.run(c)
				time.Sleep(time.Minute)
				stop()
				written := apitest.Get(s.t, s.server, newMap("counter")).Data["count"]
				require.Greater(t, counted, 5)
				if tracked {
					require.Equal(t, strconv.Itoa(counted), written)
				} else {
					require.NotEqual(t, strconv.Itoa(counted), written, "the untracked case does not show the problem")
				}
			})
		})
	}
}
