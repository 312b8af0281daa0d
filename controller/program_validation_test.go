package controller_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// Run reports each configuration error before it starts anything. The error names the
// controller or option and the correct use.
func TestRunReportsConfigurationErrors(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer busy.Close()
	var nilElector *fakeElector
	for name, m := range map[string]struct {
		// configure changes the options and returns the controllers.
		configure func(s *testProgram) []*controller.Controller
		wantIs    error
		want      string
	}{
		"nil Reconciler": {
			func(s *testProgram) []*controller.Controller {
				return s.newControllers("widgets", nil, controller.Options{})
			},
			controller.ErrNoReconciler, "controller: no Reconciler: widgets",
		},
		"nil function": {
			func(s *testProgram) []*controller.Controller {
				return s.newControllers("widgets", controller.Func(nil), controller.Options{})
			},
			controller.ErrNoReconciler, "controller: no Reconciler: widgets",
		},
		"negative options": {
			func(s *testProgram) []*controller.Controller {
				return s.newControllers("widgets", controller.Func(doNothing), controller.Options{MaxConcurrentReconciles: -1, ResyncPeriod: -time.Second})
			},
			controller.ErrOptions, "controller: invalid options: widgets: MaxConcurrentReconciles is -1, which is negative\n" +
				"controller: invalid options: widgets: ResyncPeriod is -1s, which is negative",
		},
		"empty name": {
			func(s *testProgram) []*controller.Controller {
				return s.newControllers("", controller.Func(doNothing), controller.Options{})
			},
			controller.ErrNoName, "controller: no name",
		},
		"nothing watched": {
			func(*testProgram) []*controller.Controller {
				return []*controller.Controller{controller.New("idle", controller.Func(doNothing), controller.Options{})}
			},
			controller.ErrNothingWatched, "controller: nothing is watched: call For, Owns, Watches or Channel before Run: idle",
		},
		"nil informer": {
			func(s *testProgram) []*controller.Controller {
				all := s.newControllers("widgets", controller.Func(doNothing), controller.Options{})
				controller.Owns[*configMap](all[0], nil)
				return all
			},
			controller.ErrNoInformer, "controller: the informer is nil: widgets: Owns was called with nil: pass an informer of *controller_test.configMap",
		},
		"nil predicates": {
			func(s *testProgram) []*controller.Controller {
				all := s.newControllers("widgets", controller.Func(doNothing), controller.Options{})
				controller.For(all[0], s.maps, nil)
				controller.For(all[0], s.maps, controller.Or(controller.LabelChanged[*configMap], nil))
				controller.For(all[0], s.maps, controller.Changed[*configMap, string](nil))
				return all
			},
			controller.ErrOptions, strings.TrimSpace(strings.Repeat("controller: invalid options: widgets: For of configmaps has a nil predicate\n", 3)),
		},
		"nil controller": {
			func(s *testProgram) []*controller.Controller {
				return append(s.newControllers("a", controller.Func(doNothing), controller.Options{}), nil)
			},
			controller.ErrNoController, "controller: a controller is nil: number 2 of 2",
		},
		"two controllers with the same name": {
			func(s *testProgram) []*controller.Controller {
				return append(s.newControllers("widgets", controller.Func(doNothing), controller.Options{}), s.newControllers("widgets", controller.Func(doNothing), controller.Options{})...)
			},
			controller.ErrDuplicateName, `controller: two controllers have the same name: "widgets": use a different name for each controller`,
		},
		"the same controller twice": {
			func(s *testProgram) []*controller.Controller {
				all := s.newControllers("widgets", controller.Func(doNothing), controller.Options{})
				return append(all, all...)
			},
			controller.ErrDuplicateName, `controller: two controllers have the same name: "widgets" is given twice`,
		},
		"nothing to run": {
			func(s *testProgram) []*controller.Controller { s.options.Factory = nil; return nil },
			controller.ErrNothingToRun, "controller: nothing to run: pass a controller, a Factory or Informers",
		},
		"negative StopDelay": {
			func(s *testProgram) []*controller.Controller { s.options.StopDelay = -1; return nil },
			controller.ErrOptions, "controller: invalid options: RunOptions.StopDelay is -1ns, which is negative",
		},
		"nil elector in an interface": {
			func(s *testProgram) []*controller.Controller { s.options.Leader = nilElector; return nil },
			controller.ErrOptions, "controller: invalid options: RunOptions.Leader is a nil *controller_test.fakeElector",
		},
		"nil server in an interface": {
			func(s *testProgram) []*controller.Controller { s.options.Serve = (*controller.HTTP)(nil); return nil },
			controller.ErrOptions, "controller: invalid options: RunOptions.Serve is a nil *controller.HTTP",
		},
		"nil informer to run": {
			func(s *testProgram) []*controller.Controller {
				s.options.Informers = []controller.Informer{nil}
				return nil
			},
			controller.ErrNoInformer, "controller: the informer is nil: RunOptions.Informers[0] is nil",
		},
		"no address": {
			func(s *testProgram) []*controller.Controller { s.options.Serve = controller.HTTP{}; return nil },
			controller.ErrOptions, "controller: invalid options: HTTP needs an Address or a Listener",
		},
		"address in use": {
			func(s *testProgram) []*controller.Controller {
				s.options.Serve = controller.HTTP{Address: busy.Addr().String()}
				return nil
			},
			nil, `controller: serve /healthz, /readyz and /debug/ at "` + busy.Addr().String() + `": listen tcp ` + busy.Addr().String() + ": bind: address already in use",
		},
		"port without a colon": {
			func(s *testProgram) []*controller.Controller {
				s.options.Serve = controller.HTTP{Address: "8080"}
				return nil
			},
			nil, `controller: serve /healthz, /readyz and /debug/ at "8080": listen tcp: address 8080: missing port in address: the form is host:port, or :port for all addresses of this host`,
		},
		"pattern in use": {
			func(s *testProgram) []*controller.Controller {
				s.options.Serve = controller.HTTP{Address: "127.0.0.1:0", Handlers: map[string]http.Handler{"/healthz": http.NotFoundHandler()}}
				return nil
			},
			controller.ErrOptions, `controller: invalid options: HTTP.Handlers["/healthz"]: pattern "/healthz"`,
		},
		"nil handler": {
			func(s *testProgram) []*controller.Controller {
				s.options.Serve = controller.HTTP{Address: "127.0.0.1:0", Handlers: map[string]http.Handler{"/metrics": nil}}
				return nil
			},
			controller.ErrOptions, `controller: invalid options: HTTP.Handlers["/metrics"] is nil`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestProgram(t, apitest.Options{})
			err := controller.Run(t.Context(), s.options, m.configure(s)...)
			require.Error(t, err)
			require.True(t, strings.HasPrefix(err.Error(), m.want), "got %v\nwant %s", err, m.want)
			if m.wantIs != nil {
				require.ErrorIs(t, err, m.wantIs)
			}
			require.Empty(t, s.srv.Requests(apitest.Match{}), "Run has started the informer")
			require.False(t, s.maps.State().Running)
		})
	}
}

// newControllers returns one controller of the config maps.
func (p *testProgram) newControllers(name string, r controller.Reconciler, o controller.Options) []*controller.Controller {
	c := controller.New(name, r, o)
	controller.For(c, p.maps)
	return []*controller.Controller{c}
}

// Run reports all configuration errors at once.
func TestAllConfigurationErrorsAreReported(t *testing.T) {
	s := newTestProgram(t, apitest.Options{})
	s.options.StopTimeout = -time.Second
	all := append(s.newControllers("a", nil, controller.Options{}), s.newControllers("a", controller.Func(doNothing), controller.Options{})...)
	err := controller.Run(t.Context(), s.options, append(all, nil)...)
	for _, sentinel := range []error{controller.ErrOptions, controller.ErrNoReconciler, controller.ErrDuplicateName, controller.ErrNoController} {
		require.ErrorIs(t, err, sentinel)
	}
}

// Run reports an informer of a controller that it does not run or cannot run. The error
// says what to pass to Run.
func TestInformersThatDoNotRunAreReported(t *testing.T) {
	run := func(configure func(s *testProgram)) (err error) {
		synctest.Test(t, func(t *testing.T) {
			s := newTestProgram(t, apitest.Options{})
			c := s.newController("widgets", doNothing)
			configure(s)
			began := time.Now()
			err = controller.Run(t.Context(), s.options, c)
			require.LessOrEqual(t, time.Since(began), 2*time.Second)
		})
		return err
	}
	err := run(func(s *testProgram) { s.options.Factory = nil })
	require.ErrorIs(t, err, informer.ErrNotRunning)
	notRunning := "informer: not running: configmaps, which controller widgets waits for: pass its factory to Run (RunOptions.Factory), or the informer itself if it was created with informer.New (RunOptions.Informers)"
	require.EqualError(t, err, notRunning)
	require.EqualError(t, run(func(s *testProgram) { s.options.Factory = informer.NewFactory(informer.FactoryOptions{}) }), notRunning, "another factory")
	require.EqualError(t, run(func(s *testProgram) { s.options.Factory, s.options.Leader = nil, newFakeElector(func(string) {}) }), notRunning, "on standby")

	err = run(func(s *testProgram) { s.options.Factory, s.options.Informers = nil, []controller.Informer{s.maps} })
	require.ErrorIs(t, err, informer.ErrRunByFactory)
	require.ErrorContains(t, err, "controller: run the informer configmaps: informer: the informer is run by its factory: pass the factory as RunOptions.Factory instead of the informer")

	err = run(func(s *testProgram) { require.NoError(s.t, s.factory.Shutdown()) })
	require.ErrorIs(t, err, informer.ErrStopped)
	require.ErrorContains(t, err, "controller: start the factory: informer: stopped: a factory cannot be started again after Shutdown, which Run calls at its end: create a new factory and new informers")
}

// Run runs the informers in RunOptions.Informers. It does not run or stop other
// informers.
func TestRunRunsOnlyItsInformers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		view := rest.NewView[*configMap](s.client, configMaps)
		owned := informer.New(view, informer.Options[*configMap]{Name: "owned"})
		external := informer.New(view, informer.Options[*configMap]{Name: "external"})
		got := make(chan string, 2)
		var all []*controller.Controller
		for _, inf := range []*informer.SharedInformer[*configMap]{owned, external} {
			c := controller.New(inf.State().Name, controller.Func(func(_ context.Context, req controller.Request) (controller.Result, error) {
				got <- req.Name
				return controller.Result{}, nil
			}), controller.Options{})
			controller.For(c, inf)
			all = append(all, c)
		}
		s.options.Factory, s.options.Informers = nil, []controller.Informer{owned}
		s.create("a")
		externalCtx, endExternal := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- external.Run(externalCtx) }()
		s.run(all...)
		require.Equal(t, "a", <-got)
		require.Equal(t, "a", <-got)
		_, body := s.get("/readyz?verbose")
		require.Equal(t, "[+]program ok\n[+]informer/owned ok\n[+]informer/external ok\nreadyz check passed\n", body)
		require.NoError(t, s.stopAndWait())
		require.False(t, owned.State().Running)
		require.True(t, external.State().Running, "Run has stopped an informer that it does not run")
		endExternal()
		require.NoError(t, <-ended)
	})
}

// A controller waits for a custom resource that is not defined and reports it in its
// state. It starts when the resource is defined. Other controllers do not wait for it.
func TestMissingCustomResourceDelaysOnlyItsController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		widgets := rest.ResourceInfo{
			GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"},
			Kind:                 "Widget", Namespaced: true,
		}
		inf := informer.For(s.factory, rest.NewView[*configMap](s.client, widgets), informer.Options[*configMap]{})
		got := make(chan string, 10)
		c := controller.New("widgets", controller.Func(func(_ context.Context, req controller.Request) (controller.Result, error) {
			got <- req.Name
			return controller.Result{}, nil
		}), controller.Options{Logger: quiet})
		controller.For(c, inf)
		other := make(chan string, 10)
		o := s.newController("maps", func(_ context.Context, req controller.Request) (controller.Result, error) {
			other <- req.Name
			return controller.Result{}, nil
		})
		s.create("a")
		s.run(c, o)
		require.Equal(t, "a", <-other)
		time.Sleep(10 * time.Second)
		require.Len(t, c.State().UnreadyInformers, 1)
		require.ErrorContains(t, c.State().UnreadyInformers[0].Reason, "the server could not find the requested resource")
		code, body := s.get("/readyz")
		require.Equal(t, 503, code)
		require.Contains(t, body, "[-]informer/widgets.example.com failed: watch widgets.example.com: the server could not find the requested resource (watch widgets.example.com)")
		help := "the server does not serve widgets.example.com in version v1: apply its CustomResourceDefinition, or use a version that it serves; the watch starts as soon as it exists"
		require.Contains(t, body, help)
		log := s.log.take()
		require.Contains(t, log, `msg="An informer has not synced" informer=widgets.example.com resource=widgets.example.com version=example.com/v1 verb=watch reason="not found"`)
		require.Contains(t, log, help)

		require.NoError(t, s.srv.Register(apitest.Resource{ResourceInfo: widgets}))
		apitest.Create(t, s.srv, &configMap{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Widget"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "w"}})
		require.Equal(t, "w", <-got)
		time.Sleep(time.Second)
		require.Contains(t, s.log.take(), `msg="The informer has synced" informer=widgets.example.com objects=1`)
		code, body = s.get("/readyz")
		require.Equal(t, 200, code, body)
		require.NoError(t, s.stopAndWait())
	})
}

// Run returns although a reconcile ignores its ctx. The error names the reconcile.
func TestReconcileThatIgnoresItsContextIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		release := make(chan struct{})
		c := s.newControllers("widgets", controller.Func(func(context.Context, controller.Request) (controller.Result, error) {
			<-release
			return controller.Result{}, nil
		}), controller.Options{StopTimeout: 10 * time.Second, CancelTimeout: 2 * time.Second})
		e := newFakeElector(func(string) {})
		s.options.Leader = e
		s.create("a")
		s.run(c...)
		e.lead <- struct{}{}
		synctest.Wait()
		began := time.Now()
		err := s.stopAndWait()
		require.Equal(t, 12*time.Second, time.Since(began))
		require.ErrorIs(t, e.leadErr, controller.ErrStillRunning, "the leadership must not be released")
		var late *controller.StopError
		require.ErrorAs(t, err, &late)
		require.EqualError(t, err, "controller widgets: stopping: not returned in time: the reconcile of default/a, whose ctx has ended")
		require.False(t, s.maps.State().Running)
		close(release)
		synctest.Wait()
	})
}
