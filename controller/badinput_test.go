package controller_test

import (
	"context"
	"log/slog"
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

// Each mistake of a program is the error of Run before anything has started, in
// words that say whose it is and what would be right.
func TestMistakesOfAProgram(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer busy.Close()
	var nobody *elector
	for name, m := range map[string]struct {
		// with changes the options, and returns the controllers.
		with func(s *scene) []*controller.Controller
		is   error
		want string
	}{
		"a nil Reconciler": {
			func(s *scene) []*controller.Controller { return s.one("widgets", nil, controller.Options{}) },
			controller.ErrNoReconciler, "controller: no Reconciler: widgets",
		},
		"a nil function": {
			func(s *scene) []*controller.Controller {
				return s.one("widgets", controller.Func(nil), controller.Options{})
			},
			controller.ErrNoReconciler, "controller: no Reconciler: widgets",
		},
		"negative options": {
			func(s *scene) []*controller.Controller {
				return s.one("widgets", controller.Func(nothing), controller.Options{MaxConcurrentReconciles: -1, Sweep: -time.Second})
			},
			controller.ErrOptions, "controller: the options are wrong: widgets: MaxConcurrentReconciles is -1, which is negative\n" +
				"controller: the options are wrong: widgets: Sweep is -1s, which is negative",
		},
		"no name": {
			func(s *scene) []*controller.Controller {
				return s.one("", controller.Func(nothing), controller.Options{})
			},
			controller.ErrNoName, "controller: no name",
		},
		"nothing watched": {
			func(*scene) []*controller.Controller {
				return []*controller.Controller{controller.New("idle", controller.Func(nothing), controller.Options{})}
			},
			controller.ErrNothingWatched, "controller: it watches nothing: call For, Owns, Watches or Channel before Run: idle",
		},
		"a nil informer": {
			func(s *scene) []*controller.Controller {
				all := s.one("widgets", controller.Func(nothing), controller.Options{})
				controller.Owns[*configMap](all[0], nil)
				return all
			},
			controller.ErrNoInformer, "controller: no informer: widgets: it is a nil *informer.SharedInformer[*github.com/thinformer/thinformer/controller_test.configMap]",
		},
		"nil predicates": {
			func(s *scene) []*controller.Controller {
				all := s.one("widgets", controller.Func(nothing), controller.Options{})
				controller.For(all[0], s.maps, nil)
				controller.For(all[0], s.maps, controller.Or(controller.LabelChanged[*configMap], nil))
				controller.For(all[0], s.maps, controller.Changed[*configMap, string](nil))
				return all
			},
			controller.ErrOptions, strings.TrimSpace(strings.Repeat("controller: the options are wrong: widgets: a predicate for configmaps is nil\n", 3)),
		},
		"a nil controller": {
			func(s *scene) []*controller.Controller {
				return append(s.one("a", controller.Func(nothing), controller.Options{}), nil)
			},
			controller.ErrNoController, "controller: a controller is nil: it is number 2 of 2",
		},
		"two of one name": {
			func(s *scene) []*controller.Controller {
				return append(s.one("widgets", controller.Func(nothing), controller.Options{}), s.one("widgets", controller.Func(nothing), controller.Options{})...)
			},
			controller.ErrSameName, `controller: two controllers have one name: "widgets", which logs and states could not tell apart`,
		},
		"one given twice": {
			func(s *scene) []*controller.Controller {
				one := s.one("widgets", controller.Func(nothing), controller.Options{})
				return append(one, one...)
			},
			controller.ErrSameName, `controller: two controllers have one name: "widgets" is given twice`,
		},
		"nothing to run": {
			func(s *scene) []*controller.Controller { s.options.Factory = nil; return nil },
			controller.ErrNothingToRun, "controller: nothing to run: there is no controller, no Factory and no Informers",
		},
		"negative times": {
			func(s *scene) []*controller.Controller { s.options.StopDelay = -1; return nil },
			controller.ErrOptions, "controller: the options are wrong: RunOptions.StopDelay is -1ns, which is negative",
		},
		"a nil elector in an interface": {
			func(s *scene) []*controller.Controller { s.options.Leader = nobody; return nil },
			controller.ErrOptions, "controller: the options are wrong: RunOptions.Leader is a nil *controller_test.elector",
		},
		"a nil server in an interface": {
			func(s *scene) []*controller.Controller { s.options.Serve = (*controller.HTTP)(nil); return nil },
			controller.ErrOptions, "controller: the options are wrong: RunOptions.Serve is a nil *controller.HTTP",
		},
		"a nil informer to run": {
			func(s *scene) []*controller.Controller { s.options.Informers = []controller.Informer{nil}; return nil },
			controller.ErrNoInformer, "controller: no informer: RunOptions.Informers[0] is nil",
		},
		"no address": {
			func(s *scene) []*controller.Controller { s.options.Serve = controller.HTTP{}; return nil },
			controller.ErrOptions, "controller: the options are wrong: HTTP has neither an Address nor a Listener",
		},
		"an address that is taken": {
			func(s *scene) []*controller.Controller {
				s.options.Serve = controller.HTTP{Address: busy.Addr().String()}
				return nil
			},
			nil, `controller: serve /healthz, /readyz and /debug/ at "` + busy.Addr().String() + `": listen tcp ` + busy.Addr().String() + ": bind: address already in use",
		},
		"a port for an address": {
			func(s *scene) []*controller.Controller {
				s.options.Serve = controller.HTTP{Address: "8080"}
				return nil
			},
			nil, `controller: serve /healthz, /readyz and /debug/ at "8080": listen tcp: address 8080: missing port in address: it is host:port, or :port for all addresses of this host`,
		},
		"a pattern that is taken": {
			func(s *scene) []*controller.Controller {
				s.options.Serve = controller.HTTP{Address: "127.0.0.1:0", Handlers: map[string]http.Handler{"/healthz": http.NotFoundHandler()}}
				return nil
			},
			controller.ErrOptions, `controller: the options are wrong: HTTP.Handlers["/healthz"]: pattern "/healthz"`,
		},
		"a nil handler": {
			func(s *scene) []*controller.Controller {
				s.options.Serve = controller.HTTP{Address: "127.0.0.1:0", Handlers: map[string]http.Handler{"/metrics": nil}}
				return nil
			},
			controller.ErrOptions, `controller: the options are wrong: HTTP.Handlers["/metrics"] is nil`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, apitest.Options{})
			err := controller.Run(t.Context(), s.options, m.with(s)...)
			require.Error(t, err)
			require.True(t, strings.HasPrefix(err.Error(), m.want), "%v\nand not %s", err, m.want)
			if m.is != nil {
				require.ErrorIs(t, err, m.is)
			}
			require.Empty(t, s.srv.Requests(apitest.Match{}), "it has begun")
			require.False(t, s.maps.State().Running)
		})
	}
}

// one is a controller of the scene's configmaps.
func (s *scene) one(name string, r controller.Reconciler, o controller.Options) []*controller.Controller {
	c := controller.New(name, r, o)
	controller.For(c, s.maps)
	return []*controller.Controller{c}
}

// All mistakes are told at once.
func TestAllMistakesAreTold(t *testing.T) {
	s := newScene(t, apitest.Options{})
	s.options.StopTimeout = -time.Second
	all := append(s.one("a", nil, controller.Options{}), s.one("a", controller.Func(nothing), controller.Options{})...)
	err := controller.Run(t.Context(), s.options, append(all, nil)...)
	for _, is := range []error{controller.ErrOptions, controller.ErrNoReconciler, controller.ErrSameName, controller.ErrNoController} {
		require.ErrorIs(t, err, is)
	}
}

// What Run was given is not what the controllers watch, or cannot be run: the
// error says what to give it.
func TestInformersThatNobodyCanRun(t *testing.T) {
	run := func(with func(s *scene)) (err error) {
		synctest.Test(t, func(t *testing.T) {
			s := newScene(t, apitest.Options{})
			c := s.controller("widgets", nothing)
			with(s)
			began := time.Now()
			err = controller.Run(t.Context(), s.options, c)
			require.LessOrEqual(t, time.Since(began), 2*time.Second)
		})
		return err
	}
	err := run(func(s *scene) { s.options.Factory = nil })
	require.ErrorIs(t, err, informer.ErrNotRunning)
	forgotten := "informer: it is not running: configmaps, which controller widgets waits for: give Run the factory that it comes from (RunOptions.Factory), or itself if informer.New has made it (RunOptions.Informers)"
	require.EqualError(t, err, forgotten)
	require.EqualError(t, run(func(s *scene) { s.options.Factory = informer.NewFactory(informer.FactoryOptions{}) }), forgotten, "the factory of somebody else")
	require.EqualError(t, run(func(s *scene) { s.options.Factory, s.options.Leader = nil, newElector(func(string) {}) }), forgotten, "on standby")

	err = run(func(s *scene) { s.options.Factory, s.options.Informers = nil, []controller.Informer{s.maps} })
	require.ErrorIs(t, err, informer.ErrFactoryRuns)
	require.ErrorContains(t, err, "controller: run the informer configmaps: informer: its factory runs it: give the factory to Run, as RunOptions.Factory, and not the informer")

	err = run(func(s *scene) { require.NoError(s.t, s.factory.Shutdown()) })
	require.ErrorIs(t, err, informer.ErrStopped)
	require.ErrorContains(t, err, "controller: start the factory: informer: it has stopped: a factory that was shut down, as Run does at its end, does not start again: make a new one, and new informers")
}

// Informers that informer.New has made are run, and others by their owner.
func TestInformersWithoutAFactory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, apitest.Options{})
		view := rest.NewView[*configMap](s.client, configMaps)
		mine := informer.New(view, informer.Options[*configMap]{Name: "mine"})
		theirs := informer.New(view, informer.Options[*configMap]{Name: "theirs"})
		got := make(chan string, 2)
		var all []*controller.Controller
		for _, inf := range []*informer.SharedInformer[*configMap]{mine, theirs} {
			c := controller.New(inf.State().Name, controller.Func(func(_ context.Context, req controller.Request) (controller.Result, error) {
				got <- req.Name
				return controller.Result{}, nil
			}), controller.Options{})
			controller.For(c, inf)
			all = append(all, c)
		}
		s.options.Factory, s.options.Informers = nil, []controller.Informer{mine}
		s.create("a")
		theirsCtx, endTheirs := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- theirs.Run(theirsCtx) }()
		s.run(all...)
		require.Equal(t, "a", <-got)
		require.Equal(t, "a", <-got)
		_, body := s.get("/readyz?verbose")
		require.Equal(t, "[+]program ok\n[+]informer/mine ok\n[+]informer/theirs ok\nreadyz check passed\n", body)
		require.NoError(t, s.end())
		require.False(t, mine.State().Running)
		require.True(t, theirs.State().Running, "it is somebody else's")
		endTheirs()
		require.NoError(t, <-ended)
	})
}

// A custom resource that is not defined is waited for, with a state that says
// so; the controller starts when it appears, and the others do not wait for it.
func TestACustomResourceThatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, apitest.Options{})
		widgets := rest.ResourceInfo{
			GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"},
			Kind:                 "Widget", Namespaced: true,
		}
		inf := informer.For(s.factory, rest.NewView[*configMap](s.client, widgets), informer.Options[*configMap]{})
		got := make(chan string, 10)
		c := controller.New("widgets", controller.Func(func(_ context.Context, req controller.Request) (controller.Result, error) {
			got <- req.Name
			return controller.Result{}, nil
		}), controller.Options{Logger: slog.New(slog.DiscardHandler)})
		controller.For(c, inf)
		other := make(chan string, 10)
		o := s.controller("maps", func(_ context.Context, req controller.Request) (controller.Result, error) {
			other <- req.Name
			return controller.Result{}, nil
		})
		s.create("a")
		s.run(c, o)
		require.Equal(t, "a", <-other)
		time.Sleep(10 * time.Second)
		require.Len(t, c.State().Waiting, 1)
		require.ErrorContains(t, c.State().Waiting[0].Reason, "the server could not find the requested resource")
		code, body := s.get("/readyz")
		require.Equal(t, 503, code)
		require.Contains(t, body, "[-]informer/widgets.example.com failed: watch widgets.example.com: the server could not find the requested resource (get widgets.example.com)")
		help := "the server does not serve widgets.example.com in version v1: apply its CustomResourceDefinition, or ask for a version that it has; it is watched as soon as it is there"
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
		require.NoError(t, s.end())
	})
}

// A reconcile that ignores its ctx is named by the error of Run, which returns
// without it.
func TestAReconcileThatIgnoresItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, apitest.Options{})
		release := make(chan struct{})
		c := s.one("widgets", controller.Func(func(context.Context, controller.Request) (controller.Result, error) {
			<-release
			return controller.Result{}, nil
		}), controller.Options{StopTimeout: 10 * time.Second, CancelTimeout: 2 * time.Second})
		e := newElector(func(string) {})
		s.options.Leader = e
		s.create("a")
		s.run(c...)
		e.lead <- struct{}{}
		synctest.Wait()
		began := time.Now()
		err := s.end()
		require.Equal(t, 12*time.Second, time.Since(began))
		require.ErrorIs(t, e.outcome, controller.ErrStillRunning, "so that the leadership is not given back")
		var late *controller.StopError
		require.ErrorAs(t, err, &late)
		require.EqualError(t, err, "controller widgets: stopping: these have not returned in time: the reconcile of default/a, whose ctx has ended")
		require.False(t, s.maps.State().Running)
		close(release)
		synctest.Wait()
	})
}
