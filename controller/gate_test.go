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

// late is how far the watches of these tests are behind.
const late = 3 * time.Second

// setting is a server whose watches are late, and what a controller needs of it.
type setting struct {
	t       *testing.T
	server  *apitest.Server
	client  *rest.Client
	maps    *rest.Resource[*configMap]
	factory *informer.Factory
}

func newSetting(t *testing.T, behind time.Duration) *setting {
	t.Helper()
	server := apitest.NewServer(apitest.Options{InMemory: true})
	t.Cleanup(server.Close)
	client, err := rest.New(server.Config())
	require.NoError(t, err)
	t.Cleanup(client.Close)
	if behind > 0 {
		server.Fault(apitest.Fault{On: apitest.Match{Verb: "watch"}, Do: apitest.DelayEvents(behind)})
	}
	return &setting{
		t: t, server: server, client: client,
		maps:    rest.NewResource[*configMap](client, configMaps).Namespace("default"),
		factory: informer.NewFactory(informer.FactoryOptions{}),
	}
}

// run runs a controller until the test is over, or stop is called.
func (s *setting) run(c *controller.Controller) (stop func()) {
	ctx, cancel := context.WithCancel(s.t.Context())
	require.NoError(s.t, s.factory.Start(ctx))
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	return func() {
		cancel()
		require.NoError(s.t, <-ended)
		require.NoError(s.t, s.factory.Shutdown())
	}
}

func (s *setting) make(name string) *configMap {
	return apitest.Create(s.t, s.server, newMap(name))
}

func newMap(name string) *configMap {
	return &configMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
	}
}

// The classic mistake: a reconcile looks for the child of its object in the
// informer, finds none and creates one; and again, for the informer has not seen
// the first one yet. With the ctx that Reconcile is given it waits for that.
func TestAChildIsNotCreatedTwice(t *testing.T) {
	for _, tracked := range []bool{true, false} {
		t.Run(fmt.Sprintf("tracked=%v", tracked), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetting(t, late)
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
				s.make("parent")
				stop := s.run(c)
				time.Sleep(time.Minute)
				stop()
				children := len(apitest.List(t, s.server, newMap(""))) - 1
				if tracked {
					require.Equal(t, 1, children)
					require.Equal(t, 2, runs)
				} else {
					require.Greater(t, children, 1, "the test shows nothing if this does not happen")
				}
			})
		})
	}
}

// A counter that goes back: a reconcile reads its count from the informer, and
// writes one more; and again, with what it has read before. With the ctx that it
// is given every count is there.
func TestACounterDoesNotGoBack(t *testing.T) {
	for _, tracked := range []bool{true, false} {
		t.Run(fmt.Sprintf("tracked=%v", tracked), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetting(t, late)
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
				s.make("counter")
				stop := s.run(c)
				time.Sleep(time.Minute)
				stop()
				written := apitest.Get(s.t, s.server, newMap("counter")).Data["count"]
				require.Greater(t, counted, 5)
				if tracked {
					require.Equal(t, strconv.Itoa(counted), written)
				} else {
					require.NotEqual(t, strconv.Itoa(counted), written, "the test shows nothing if this does not happen")
				}
			})
		})
	}
}
