package thinformer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// scene is a server, a client of it and what a test does with them; all of it
// in fake time.
type scene struct {
	*testing.T
	srv    *apitest.Server
	client *rest.Client
	// forbidden: whatever is asked is answered with 403.
	forbidden bool
}

// cache is an informer that runs until the test ends.
func (s *scene) cache(source informer.Source[*ConfigMap], o informer.Options[*ConfigMap], handlers ...informer.ResourceEventHandler[*ConfigMap]) *informer.SharedInformer[*ConfigMap] {
	o.Logger = quiet
	inf := informer.New(source, o)
	for _, h := range handlers {
		if _, err := inf.AddEventHandler(h, informer.HandlerOptions{Name: "yours", MaxPending: 1}); err != nil {
			s.Fatal(err)
		}
	}
	s.run(inf.Run)
	return inf
}

// run runs until the test ends, or longer if what was called does not return.
func (s *scene) run(run func(context.Context) error) {
	ctx, stop := context.WithCancel(s.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = run(ctx) }()
	s.Cleanup(func() { stop(); <-ended })
}

// controlled is a controller of the cache that runs until the test ends.
func (s *scene) controlled(cache *informer.SharedInformer[*ConfigMap], reconcile controller.Func, o controller.Options) *controller.Controller {
	o.Logger = quiet
	c := controller.New("yours", reconcile, o)
	controller.For(c, cache)
	s.run(c.Run)
	return c
}

func (s *scene) view() *rest.View[*ConfigMap] { return rest.NewView[*ConfigMap](s.client, configMaps) }

func (s *scene) create(name string) {
	apitest.Create(s, s.srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Data: map[string]string{"word": "hi"}})
}

func (s *scene) fault(verb string, do apitest.Action) {
	s.srv.Fault(apitest.Fault{On: apitest.Match{Verb: verb, Resource: "configmaps"}, Do: do})
}

// symptoms are played, and what State then says stands in the table.
var symptoms = map[string]func(*scene) any{
	"403 on list": func(s *scene) any {
		s.forbidden = true
		cache := s.cache(s.view(), informer.Options[*ConfigMap]{})
		time.Sleep(time.Second)
		return cache.State().Source.Err
	},
	"401": func(s *scene) any {
		s.fault("", apitest.Fail(http.StatusUnauthorized, 0))
		cache := s.cache(s.view(), informer.Options[*ConfigMap]{})
		time.Sleep(time.Second)
		return cache.State().Source.Err
	},
	"no such resource": func(s *scene) any {
		cache := s.cache(rest.NewView[*ConfigMap](s.client, rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}, Kind: "Widget", Namespaced: true}), informer.Options[*ConfigMap]{})
		time.Sleep(time.Second)
		return cache.State().Source.Err
	},
	"an object that does not fit": func(s *scene) any {
		type odd struct {
			metav1.TypeMeta   `json:",inline"`
			metav1.ObjectMeta `json:"metadata"`
			Data              map[string]int `json:"data"`
		}
		s.create("parrot")
		var last error
		inf := informer.New(rest.NewView[*odd](s.client, configMaps), informer.Options[*odd]{Logger: quiet, WatchErrorHandler: func(_ context.Context, err error) { last = err }})
		s.run(inf.Run)
		time.Sleep(time.Second)
		if n := inf.State().Source.Undecodable; n != 1 {
			s.Errorf("%d undecodable", n)
		}
		return last
	},
	"never run": func(s *scene) any {
		return informer.New(s.view(), informer.Options[*ConfigMap]{}).WaitForSync(s.Context())
	},
	"a handler that hangs": func(s *scene) any {
		goOn := make(chan struct{})
		cache := s.cache(s.view(), informer.Options[*ConfigMap]{}, informer.ResourceEventHandlerFuncs[*ConfigMap]{AddFunc: func(*ConfigMap, bool) { <-goOn }})
		time.Sleep(time.Second)
		for i := range 5 {
			s.create(fmt.Sprint(i))
		}
		time.Sleep(time.Minute)
		h := cache.State().Handlers[0]
		close(goOn)
		return fmt.Sprintf("Name: %s, Pending: %d, Since: %v ago", h.Name, h.Pending, time.Since(h.Since).Round(time.Minute))
	},
	"a relist": func(s *scene) any {
		cache := s.cache(s.view(), informer.Options[*ConfigMap]{})
		time.Sleep(time.Second)
		s.create("parrot")
		s.srv.Fault(apitest.Fault{On: apitest.Match{Verb: "watch"}, Nth: 1, Do: apitest.Fail(http.StatusGone, 0)})
		time.Sleep(20 * time.Minute)
		return cache.State().Source.RelistReason
	},
	"a reconcile that fails": func(s *scene) any {
		s.create("parrot")
		c := s.controlled(s.cache(s.view(), informer.Options[*ConfigMap]{}), func(context.Context, controller.Request) (controller.Result, error) {
			return controller.Result{}, errors.New("out of seed")
		}, controller.Options{})
		time.Sleep(time.Second)
		f := c.State().Retrying[0]
		return fmt.Sprintf("%s: %v", f.Request, f.Err)
	},
	"a reconcile that panics": func(s *scene) any {
		s.create("parrot")
		c := s.controlled(s.cache(s.view(), informer.Options[*ConfigMap]{}), func(context.Context, controller.Request) (controller.Result, error) {
			panic("no cage")
		}, controller.Options{})
		time.Sleep(time.Hour)
		f := c.State().Quarantined[0]
		return fmt.Sprintf("%s: %v", f.Request, f.Err)
	},
	"a reconcile that hangs": func(s *scene) any {
		s.create("parrot")
		c := s.controlled(s.cache(s.view(), informer.Options[*ConfigMap]{}), func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			<-ctx.Done()
			return controller.Result{}, ctx.Err()
		}, controller.Options{StopTimeout: time.Second})
		time.Sleep(time.Hour)
		w := c.State().Working[0]
		return fmt.Sprintf("%s, since %v", w.Request, time.Since(w.Since).Round(time.Minute))
	},
	"a write that is not seen": func(s *scene) any {
		s.create("parrot")
		resource := rest.NewResource[*ConfigMap](s.client, configMaps)
		cache := s.cache(s.view(), informer.Options[*ConfigMap]{})
		var stale error
		c := s.controlled(cache, func(ctx context.Context, req controller.Request) (controller.Result, error) {
			m, _ := cache.Get(req.String())
			m = informer.Clone(m)
			m.Data["word"] = "hello"
			s.fault("watch", apitest.DelayEvents(time.Hour))
			s.srv.Stop() // the watch ends, and another one is late
			s.srv.Start()
			_, err := resource.Update(ctx, m, metav1.UpdateOptions{})
			return controller.Result{}, err
		}, controller.Options{Trace: &controller.Trace{Stale: func(_ controller.TraceInfo, e *controller.StaleError) { stale = e }}})
		time.Sleep(3 * time.Minute)
		if n := c.State().Held; n != 1 {
			s.Errorf("%d held", n)
		}
		return stale
	},
	"a factory that Run is not given": func(s *scene) any {
		factory := informer.NewFactory(informer.FactoryOptions{Logger: quiet})
		c := controller.New("yours", controller.Func(func(context.Context, controller.Request) (controller.Result, error) {
			return controller.Result{}, nil
		}), controller.Options{})
		controller.For(c, informer.For(factory, s.view(), informer.Options[*ConfigMap]{}))
		return controller.Run(s.Context(), controller.RunOptions{NoSignals: true, Logger: quiet}, c)
	},
	"a reconcile that ignores its ctx": func(s *scene) any {
		s.create("parrot")
		cache := s.cache(s.view(), informer.Options[*ConfigMap]{})
		goOn := make(chan struct{})
		c := controller.New("yours", controller.Func(func(context.Context, controller.Request) (controller.Result, error) {
			<-goOn
			return controller.Result{}, nil
		}), controller.Options{Logger: quiet})
		controller.For(c, cache)
		ctx, stop := context.WithTimeout(s.Context(), time.Second)
		defer stop()
		defer close(goOn)
		return c.Run(ctx)
	},
	"a controller that waits": func(s *scene) any {
		s.forbidden = true
		c := s.controlled(s.cache(s.view(), informer.Options[*ConfigMap]{}), func(context.Context, controller.Request) (controller.Result, error) {
			return controller.Result{}, nil
		}, controller.Options{})
		time.Sleep(time.Minute)
		w := c.State().Waiting[0]
		return fmt.Sprintf("%s: %v", w.Informer, w.Reason)
	},
}

// What docs/troubleshooting.md says that one sees is what one sees.
func TestSymptomsAreAsTroubleshootingSays(t *testing.T) {
	text, err := os.ReadFile("docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, play := range symptoms {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scene{T: t}
				s.srv = apitest.NewServer(apitest.Options{
					InMemory: true, Logger: quiet,
					Authorize: func(apitest.Attributes) (bool, string) { return !s.forbidden, "" },
				})
				t.Cleanup(s.srv.Close)
				if s.client, err = rest.New(s.srv.Config()); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(s.client.Close)
				if says := fmt.Sprint(play(s)); !strings.Contains(string(text), "`"+says+"`") {
					t.Errorf("docs/troubleshooting.md does not say what is seen:\n%s", says)
				}
			})
		})
	}
}
