package docs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
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

// fixture is a server, a client and the helpers of a test, in fake time.
type fixture struct {
	*testing.T
	srv    *apitest.Server
	client *rest.Client
	// forbidden: every request is answered with 403.
	forbidden bool
	// denied: requests for which it returns true are answered with 403. Nil denies none.
	denied func(apitest.Attributes) bool
}

// cache returns an informer that runs until the test ends.
func (s *fixture) cache(source informer.Source[*ConfigMap], o informer.Options[*ConfigMap], handlers ...informer.ResourceEventHandler[*ConfigMap]) *informer.SharedInformer[*ConfigMap] {
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

// run calls a function whose ctx ends with the test, and waits for its return.
func (s *fixture) run(run func(context.Context) error) {
	ctx, stop := context.WithCancel(s.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = run(ctx) }()
	s.Cleanup(func() { stop(); <-ended })
}

// controlled returns a controller of the cache that runs until the test ends.
func (s *fixture) controlled(cache *informer.SharedInformer[*ConfigMap], reconcile controller.Func, o controller.Options) *controller.Controller {
	o.Logger = quiet
	c := controller.New("yours", reconcile, o)
	controller.For(c, cache)
	s.run(c.Run)
	return c
}

func (s *fixture) view() *rest.View[*ConfigMap] {
	return rest.NewView[*ConfigMap](s.client, configMaps)
}

func (s *fixture) create(name string) {
	apitest.Create(s, s.srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Data: map[string]string{"word": "hi"}})
}

func (s *fixture) fault(verb string, do apitest.Action) {
	s.srv.Fault(apitest.Fault{Match: apitest.Match{Verb: verb, Resource: "configmaps"}, Action: do})
}

// readError returns the first error of a function that is called by a reconcile.
func (s *fixture) readError(read func(context.Context, *informer.SharedInformer[*ConfigMap], *informer.Bodies[*Secret]) error) error {
	s.create("parrot")
	factory := informer.NewFactory(informer.FactoryOptions{Logger: quiet})
	secrets := informer.ForBodies(factory, rest.NewView[*Secret](s.client, secretInfo), informer.BodyOptions[*Secret]{})
	s.Cleanup(secrets.Release)
	if err := factory.Start(s.Context()); err != nil {
		s.Fatal(err)
	}
	cache := s.cache(s.view(), informer.Options[*ConfigMap]{})
	errs := make(chan error, 10)
	s.controlled(cache, func(ctx context.Context, _ controller.Request) (controller.Result, error) {
		err := read(ctx, cache, secrets)
		errs <- err
		return controller.Result{}, controller.TerminalError(err)
	}, controller.Options{})
	return <-errs
}

// symptoms cause a failure and return the text that the table has for it.
var symptoms = map[string]func(*fixture) any{
	"403 on list": func(s *fixture) any {
		s.forbidden = true
		cache := s.cache(s.view(), informer.Options[*ConfigMap]{})
		time.Sleep(time.Second)
		return cache.State().Source.Err
	},
	"401": func(s *fixture) any {
		s.fault("", apitest.Fail(http.StatusUnauthorized, 0))
		cache := s.cache(s.view(), informer.Options[*ConfigMap]{})
		time.Sleep(time.Second)
		return cache.State().Source.Err
	},
	"missing resource": func(s *fixture) any {
		cache := s.cache(rest.NewView[*ConfigMap](s.client, rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}, Kind: "Widget", Namespaced: true}), informer.Options[*ConfigMap]{})
		time.Sleep(time.Second)
		return cache.State().Source.Err
	},
	"undecodable object": func(s *fixture) any {
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
	"informer that does not run": func(s *fixture) any {
		return informer.New(s.view(), informer.Options[*ConfigMap]{}).WaitForSync(s.Context())
	},
	"blocked handler": func(s *fixture) any {
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
	"relist": func(s *fixture) any {
		cache := s.cache(s.view(), informer.Options[*ConfigMap]{})
		time.Sleep(time.Second)
		s.create("parrot")
		s.srv.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch"}, Nth: 1, Action: apitest.Fail(http.StatusGone, 0)})
		time.Sleep(20 * time.Minute)
		return cache.State().Source.RelistReason
	},
	"failing reconcile": func(s *fixture) any {
		s.create("parrot")
		c := s.controlled(s.cache(s.view(), informer.Options[*ConfigMap]{}), func(context.Context, controller.Request) (controller.Result, error) {
			return controller.Result{}, errors.New("out of seed")
		}, controller.Options{})
		time.Sleep(time.Second)
		f := c.State().Retrying[0]
		return fmt.Sprintf("%s: %v", f.Request, f.Err)
	},
	"panicking reconcile": func(s *fixture) any {
		s.create("parrot")
		c := s.controlled(s.cache(s.view(), informer.Options[*ConfigMap]{}), func(context.Context, controller.Request) (controller.Result, error) {
			panic("no cage")
		}, controller.Options{})
		time.Sleep(time.Hour)
		f := c.State().Quarantined[0]
		return fmt.Sprintf("%s: %v", f.Request, f.Err)
	},
	"blocked reconcile": func(s *fixture) any {
		s.create("parrot")
		c := s.controlled(s.cache(s.view(), informer.Options[*ConfigMap]{}), func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			<-ctx.Done()
			return controller.Result{}, ctx.Err()
		}, controller.Options{StopTimeout: time.Second})
		time.Sleep(time.Hour)
		w := c.State().Working[0]
		return fmt.Sprintf("%s, since %v", w.Request, time.Since(w.Since).Round(time.Minute))
	},
	"write that the informer has not seen": func(s *fixture) any {
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
	"factory not passed to Run": func(s *fixture) any {
		factory := informer.NewFactory(informer.FactoryOptions{Logger: quiet})
		c := controller.New("yours", controller.Func(func(context.Context, controller.Request) (controller.Result, error) {
			return controller.Result{}, nil
		}), controller.Options{})
		controller.For(c, informer.For(factory, s.view(), informer.Options[*ConfigMap]{}))
		return controller.Run(s.Context(), controller.RunOptions{NoSignals: true, Logger: quiet}, c)
	},
	"reconcile that ignores its ctx": func(s *fixture) any {
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
	"403 in one of several namespaces": func(s *fixture) any {
		s.denied = func(a apitest.Attributes) bool { return a.Namespace == "shop" }
		cache := informer.ForNamespaces(nil, s.view(), informer.Options[*ConfigMap]{Logger: quiet}, "park", "shop")
		s.run(cache.Run)
		time.Sleep(time.Second)
		return cache.State().Namespaces[0].Source.Err
	},
	"read of an informer that is not registered": func(s *fixture) any {
		return s.readError(func(ctx context.Context, _ *informer.SharedInformer[*ConfigMap], secrets *informer.Bodies[*Secret]) error {
			_, _, err := controller.Get(ctx, secrets, "shop/tls")
			return err
		})
	},
	"read with another ctx": func(s *fixture) any {
		return s.readError(func(_ context.Context, cache *informer.SharedInformer[*ConfigMap], _ *informer.Bodies[*Secret]) error {
			_, _, err := controller.Get(context.Background(), cache, "shop/parrot")
			return err
		})
	},
	"body without the right to get": func(s *fixture) any {
		s.denied = func(a apitest.Attributes) bool { return a.Verb == "get" }
		apitest.Create(s, s.srv, &Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "tls"}})
		return s.readError(func(ctx context.Context, _ *informer.SharedInformer[*ConfigMap], secrets *informer.Bodies[*Secret]) error {
			_, _, err := secrets.Get(ctx, "shop/tls")
			return err
		})
	},
	"read after a write that the informer has not seen": func(s *fixture) any {
		return s.readError(func(ctx context.Context, cache *informer.SharedInformer[*ConfigMap], _ *informer.Bodies[*Secret]) error {
			m, _ := cache.Get("shop/parrot")
			m = informer.Clone(m)
			m.Data["word"] = "hello"
			s.fault("watch", apitest.DelayEvents(time.Hour))
			s.srv.Stop() // the watch ends, and another one is late
			s.srv.Start()
			if _, err := rest.NewResource[*ConfigMap](s.client, configMaps).Update(ctx, m, metav1.UpdateOptions{}); err != nil {
				return err
			}
			_, _, err := controller.Get(ctx, cache, "shop/parrot")
			return err
		})
	},
	"controller without its first list": func(s *fixture) any {
		s.forbidden = true
		c := s.controlled(s.cache(s.view(), informer.Options[*ConfigMap]{}), func(context.Context, controller.Request) (controller.Result, error) {
			return controller.Result{}, nil
		}, controller.Options{})
		time.Sleep(time.Minute)
		w := c.State().UnreadyInformers[0]
		return fmt.Sprintf("%s: %v", w.Informer, w.Reason)
	},
}

// Each symptom has the text of docs/troubleshooting.md, in both languages.
func TestSymptomsHaveTheDocumentedText(t *testing.T) {
	pages := map[string]string{}
	for _, name := range []string{"docs/troubleshooting.md", "docs/zh/troubleshooting.md"} {
		page, err := fs.ReadFile(repository(t), name)
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = string(page)
	}
	for name, cause := range symptoms {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &fixture{T: t}
				s.srv = apitest.NewServer(apitest.Options{
					InMemory: true, Logger: quiet,
					Authorize: func(a apitest.Attributes) (bool, string) {
						return !s.forbidden && (s.denied == nil || !s.denied(a)), ""
					},
				})
				t.Cleanup(s.srv.Close)
				client, err := rest.New(s.srv.Config())
				if err != nil {
					t.Fatal(err)
				}
				s.client = client
				t.Cleanup(s.client.Close)
				text := fmt.Sprint(cause(s))
				for name, page := range pages {
					if !strings.Contains(page, "`"+text+"`") {
						t.Errorf("%s does not have this text:\n%s", name, text)
					}
				}
			})
		})
	}
}
