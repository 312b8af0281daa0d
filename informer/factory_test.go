package informer_test

import (
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/listwatch"
	"github.com/thinformer/thinformer/rest"
)

var nodes = rest.ResourceInfo{
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "nodes"},
	Kind:                 "Node",
}

// slimPod is another Go type for pods.
type slimPod struct {
	rest.SlimMeta `json:"metadata"`
}

// factoryFixture is a server, a client and a factory, in fake time.
type factoryFixture struct {
	t       *testing.T
	server  *apitest.Server
	client  *rest.Client
	factory *informer.Factory
	ctx     context.Context
}

func withFactory(t *testing.T, o informer.FactoryOptions, test func(y *factoryFixture)) {
	synctest.Test(t, func(t *testing.T) {
		quiet := slog.New(slog.DiscardHandler)
		server := apitest.NewServer(apitest.Options{InMemory: true, Logger: quiet})
		defer server.Close()
		client, err := rest.New(server.Config())
		require.NoError(t, err)
		defer client.Close()
		o.Logger = quiet
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		y := &factoryFixture{t, server, client, informer.NewFactory(o), ctx}
		defer func() { require.NoError(t, y.factory.Shutdown()) }()
		test(y)
	})
}

// pods returns an informer of pods, with a label selector if given.
func (y *factoryFixture) pods(selector string) *informer.SharedInformer[*Pod] {
	o := informer.Options[*Pod]{}
	if selector != "" {
		o.TweakListOptions = func(options *metav1.ListOptions) { options.LabelSelector = selector }
	}
	return informer.For(y.factory, rest.NewView[*Pod](y.client, pods), o)
}

// start starts the factory and waits until it is idle.
func (y *factoryFixture) start() {
	y.t.Helper()
	require.NoError(y.t, y.factory.Start(y.ctx))
	require.NoError(y.t, y.factory.WaitForSync(y.ctx))
	synctest.Wait()
}

func (y *factoryFixture) create(namespace, name string) *Pod {
	return apitest.Create(y.t, y.server, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": name}}})
}

func (y *factoryFixture) names() (names []string) {
	for _, inf := range y.factory.Informers() {
		names = append(names, inf.State().Name)
	}
	return names
}

func keysOf(inf informer.AnyInformer) []string {
	return slices.Sorted(inf.Keys())
}

// watches returns the number of open watches of the server.
func (y *factoryFixture) watches() int {
	synctest.Wait()
	return y.server.OpenWatches()
}

// Promise: requests with the same type, source and list options share one informer;
// all others get different ones.
func TestFactorySharesEqualRequests(t *testing.T) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		y.create("a", "web")
		view := rest.NewView[*Pod](y.client, pods)
		same := []*informer.SharedInformer[*Pod]{
			y.pods(""), y.pods(""),
			informer.For(y.factory, view, informer.Options[*Pod]{}),
			informer.For(y.factory, view, informer.Options[*Pod]{TweakListOptions: func(*metav1.ListOptions) {}}),
			informer.For(y.factory, rest.NewResource[*Pod](y.client, pods), informer.Options[*Pod]{}),
		}
		require.Equal(t, []string{"pods"}, y.names())
		y.start()
		require.Equal(t, 1, y.watches())
		for _, inf := range same {
			_, ok := inf.Get("a/web")
			require.True(t, ok)
		}

		y.pods("app=web")
		y.pods("app=web")
		informer.For(y.factory, view.Namespace("a"), informer.Options[*Pod]{})
		informer.For(y.factory, rest.NewView[*slimPod](y.client, pods), informer.Options[*slimPod]{Name: "slim"})
		informer.For(y.factory, rest.NewView[*slimPod](y.client, nodes), informer.Options[*slimPod]{})
		require.Equal(t, []string{"pods", "pods -l app=web", "pods -n a", "slim", "nodes"}, y.names())
		y.start()
		require.Equal(t, 5, y.watches())
	})
}

// Promise: Release removes the user's handlers; the last Release stops the watch and
// empties the store.
func TestFactoryStopsUnusedInformers(t *testing.T) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		y.create("a", "web")
		one, two := y.pods(""), y.pods("")
		var callsOne, callsTwo []string
		record := func(calls *[]string) informer.ResourceEventHandler[*Pod] {
			return informer.ResourceEventHandlerFuncs[*Pod]{AddFunc: func(p *Pod, _ bool) { *calls = append(*calls, p.Name) }}
		}
		registration, err := one.AddEventHandler(record(&callsOne), informer.HandlerOptions{})
		require.NoError(t, err)
		_, err = two.AddEventHandler(record(&callsTwo), informer.HandlerOptions{})
		require.NoError(t, err)
		y.start()

		one.Release()
		one.Release()
		<-registration.Done()
		y.create("a", "db")
		require.Equal(t, 1, y.watches())
		require.Equal(t, []string{"web"}, callsOne)
		require.Equal(t, []string{"web", "db"}, callsTwo)
		_, err = one.AddEventHandler(record(&callsOne), informer.HandlerOptions{})
		require.ErrorIs(t, err, informer.ErrReleased)
		_, err = one.AddIndex("i", func(*Pod) []string { return nil })
		require.ErrorIs(t, err, informer.ErrReleased)

		two.Release()
		require.Zero(t, y.watches())
		require.Empty(t, y.names())
		require.Empty(t, keysOf(two), "the store of a released informer has objects")
		require.ErrorIs(t, two.WaitForSync(y.ctx), informer.ErrStopped)

		again := y.pods("")
		y.start()
		require.Equal(t, []string{"a/db", "a/web"}, keysOf(again))
	})
}

func TestReleaseFromCallback(t *testing.T) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		y.create("a", "web")
		inf := y.pods("")
		registration, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{AddFunc: func(*Pod, bool) { inf.Release() }}, informer.HandlerOptions{})
		require.NoError(t, err)
		require.NoError(t, y.factory.Start(y.ctx))
		<-registration.Done()
		require.Zero(t, y.watches())
	})
}

// Promise: WaitForSync does not wait for informers that are released meanwhile.
func TestFactoryDoesNotWaitForReleasedInformers(t *testing.T) {
	withFactory(t, informer.FactoryOptions{WatchErrorHandler: func(context.Context, error) {}}, func(y *factoryFixture) {
		y.server.Fault(apitest.Fault{Match: apitest.Match{Resource: "pods"}, Action: apitest.Fail(http.StatusForbidden, 0)})
		never := y.pods("")
		informer.For(y.factory, rest.NewView[*slimPod](y.client, nodes), informer.Options[*slimPod]{})
		require.NoError(t, y.factory.Start(y.ctx))
		waited := make(chan error)
		go func() { waited <- y.factory.WaitForSync(y.ctx) }()
		synctest.Wait()
		never.Release()
		require.NoError(t, <-waited)
	})
}

// Promise: an informer that is requested after Start runs at once, with the context of
// the last Start. After the end of that context it runs from the next Start.
func TestInformerRequestedAfterStartRuns(t *testing.T) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		require.NoError(t, y.factory.WaitForSync(y.ctx), "without informers")
		y.pods("")
		require.ErrorIs(t, y.factory.WaitForSync(y.ctx), informer.ErrNotRunning)
		first, endFirst := context.WithCancel(y.ctx)
		require.NoError(t, y.factory.Start(first))
		require.NoError(t, y.factory.WaitForSync(y.ctx))
		require.Equal(t, 1, y.watches())
		late := y.pods("app=web")
		require.ErrorIs(t, late.Run(y.ctx), informer.ErrRunByFactory)
		require.NoError(t, late.WaitForSync(y.ctx))
		require.Equal(t, 2, y.watches())
		y.start() // has nothing to start, and sets the context of later informers
		endFirst()
		require.Zero(t, y.watches())
		last := y.pods("app=db")
		require.NoError(t, last.WaitForSync(y.ctx))
		require.Equal(t, 1, y.watches())
	})
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		ended, end := context.WithCancel(y.ctx)
		require.NoError(t, y.factory.Start(ended))
		end()
		idle := y.pods("")
		require.ErrorIs(t, idle.WaitForSync(y.ctx), informer.ErrNotRunning)
		require.NoError(t, y.factory.Start(y.ctx))
		require.NoError(t, idle.WaitForSync(y.ctx))
	})
}

// checkedSource calls checked when it is checked.
type checkedSource struct {
	informer.Source[*Pod]
	checked func()
}

func (s *checkedSource) Check() error {
	s.checked()
	return nil
}

// Promise: WaitForSync during the start of an informer that was requested after Start
// does not report ErrNotRunning.
func TestFactoryWaitsWhileAnAddedInformerStarts(t *testing.T) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		require.NoError(t, y.factory.Start(y.ctx))
		checks := 0
		source := &checkedSource{Source: rest.NewView[*Pod](y.client, pods)}
		source.checked = func() {
			if checks++; checks == 1 { // WaitForSync checks the informer as well
				require.NoError(t, y.factory.WaitForSync(y.ctx))
			}
		}
		inf := informer.For(y.factory, source, informer.Options[*Pod]{})
		require.NoError(t, inf.WaitForSync(y.ctx))
		require.Positive(t, checks)
	})
}

// Promise: an informer that is requested after Start and cannot run is logged, and its
// waits and the next Start return the error. Others are not affected.
func TestInvalidInformerRequestedAfterStart(t *testing.T) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		y.start()
		wrong := pods
		wrong.Resource = "pods/status"
		inf := informer.For(y.factory, rest.NewView[*Pod](y.client, wrong), informer.Options[*Pod]{})
		err := inf.WaitForSync(y.ctx)
		require.ErrorContains(t, err, "pods/status")
		require.ErrorContains(t, y.factory.Start(y.ctx), "pods/status")
		require.NoError(t, y.pods("").WaitForSync(y.ctx))
		inf.Release()
		require.NoError(t, y.factory.Start(y.ctx))
	})
}

// Promise: a handler may request, use and release an informer.
func TestInformerRequestedByHandler(t *testing.T) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		y.create("a", "web")
		var later *informer.SharedInformer[*Pod]
		var added []string
		_, err := y.pods("").AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{AddFunc: func(p *Pod, _ bool) {
			later = y.pods("app=" + p.Name)
			_, err := later.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{AddFunc: func(p *Pod, isInInitialList bool) {
				added = append(added, p.Name)
			}}, informer.HandlerOptions{})
			require.NoError(t, err)
		}}, informer.HandlerOptions{})
		require.NoError(t, err)
		y.start()
		require.Equal(t, 2, y.watches())
		require.Equal(t, []string{"web"}, added)
		later.Release()
		require.Equal(t, 1, y.watches())
	})
}

// Promise: an informer whose context has ended is not shared.
func TestFactoryReplacesStoppedInformers(t *testing.T) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		y.create("a", "web")
		old := y.pods("")
		ctx, cancel := context.WithCancel(y.ctx)
		require.NoError(t, y.factory.Start(ctx))
		require.NoError(t, old.WaitForSync(ctx))
		cancel()
		require.Zero(t, y.watches())
		require.Equal(t, []string{"a/web"}, keysOf(old), "the stored objects cannot be read")
		require.ErrorIs(t, y.factory.WaitForSync(y.ctx), informer.ErrStopped)

		fresh := y.pods("")
		require.Len(t, y.names(), 2)
		old.Release()
		require.Empty(t, keysOf(old))
		y.start()
		require.Equal(t, []string{"a/web"}, keysOf(fresh))
		require.Equal(t, 1, y.watches())
	})
}

// Promise: an informer that waits for a handler after its context has ended is not
// shared.
func TestFactoryDoesNotShareStoppingInformers(t *testing.T) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		y.create("a", "web")
		old := y.pods("")
		held := make(chan struct{})
		_, err := old.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{AddFunc: func(*Pod, bool) { <-held }}, informer.HandlerOptions{})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(y.ctx)
		require.NoError(t, y.factory.Start(ctx))
		require.NoError(t, old.WaitForSync(ctx))
		cancel()

		fresh := y.pods("")
		require.NoError(t, y.factory.Start(y.ctx))
		require.NoError(t, fresh.WaitForSync(y.ctx))
		close(held)
		synctest.Wait()
		again := y.pods("")
		require.NoError(t, again.WaitForSync(y.ctx), "the end of the old informer affected the new one")
		require.Len(t, y.names(), 2)
	})
}

// Promise: only the factory runs its informers, also those that Informers returns.
func TestRunOfFactoryInformerFails(t *testing.T) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		y.pods("")
		inf, ok := y.factory.Informers()[0].(*informer.SharedInformer[*Pod])
		require.True(t, ok)
		require.ErrorIs(t, inf.Run(y.ctx), informer.ErrRunByFactory)
		inf.Release()
		y.start()
		require.Equal(t, 1, y.watches(), "Release of a handle without a user stopped the informer")
	})
}

// Promise: a guard that ends its goroutine, as t.FailNow does, ends the informer.
func TestFactoryWithGuardThatEndsGoroutine(t *testing.T) {
	withFactory(t, informer.FactoryOptions{MutationGuard: func(error) { runtime.Goexit() }}, func(y *factoryFixture) {
		pod := y.create("a", "web")
		inf := y.pods("")
		_, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{AddFunc: func(p *Pod, _ bool) { p.Labels["app"] = "changed" }}, informer.HandlerOptions{})
		require.NoError(t, err)
		y.start()
		pod.Labels = map[string]string{"app": "new"}
		apitest.Update(t, y.server, pod)
		synctest.Wait()
		require.Zero(t, y.watches())
		inf.Release()
		require.Empty(t, keysOf(inf), "the stopped informer has objects after its release")
	})
}

// Promise: namespace, tweak and transform of the factory apply to all informers.
func TestFactoryOptionsApplyToAllInformers(t *testing.T) {
	o := informer.FactoryOptions{
		Namespace:        "a",
		TweakListOptions: func(options *metav1.ListOptions) { options.LabelSelector = "app in (web,db,cache)" },
		Transform: func(obj rest.Object) (bool, error) {
			if pod, ok := obj.(*Pod); ok {
				pod.Annotations = map[string]string{"seen": "factory"}
			}
			return obj.GetName() != "db", nil
		},
	}
	type Node struct {
		metav1.ObjectMeta `json:"metadata"`
	}
	withFactory(t, o, func(y *factoryFixture) {
		y.create("a", "web")
		y.create("a", "db")
		y.create("a", "cache")
		y.create("a", "other")
		y.create("b", "web")
		apitest.Create(t, y.server, &Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: map[string]string{"app": "web"}}})
		own := informer.For(y.factory, rest.NewResource[*Pod](y.client, pods), informer.Options[*Pod]{
			TweakListOptions: func(options *metav1.ListOptions) { options.FieldSelector = "metadata.name!=cache" },
			Transform: func(p *Pod) (*Pod, bool, error) {
				p.Annotations["seen"] += " and own"
				return p, true, nil
			},
		})
		plain := y.pods("")
		cluster := informer.For(y.factory, rest.NewView[*slimPod](y.client, nodes), informer.Options[*slimPod]{})
		y.start()
		require.Equal(t, []string{"a/web"}, keysOf(own))
		require.Equal(t, []string{"a/cache", "a/web"}, keysOf(plain))
		require.Equal(t, []string{"n1"}, keysOf(cluster), "the namespace must not affect a cluster-scoped resource")
		require.Equal(t, "nodes -l app in (web,db,cache)", cluster.State().Name)
		pod, _ := own.Get("a/web")
		require.Equal(t, "factory and own", pod.Annotations["seen"])
		require.Equal(t, "pods -n a -l app in (web,db,cache) --field-selector metadata.name!=cache", own.State().Name)
	})
}

// Promise: a request with different options gets an error at its first call, and the
// existing informer is not affected.
func TestFactoryRejectsDifferentOptions(t *testing.T) {
	strip := func(p *Pod) (*Pod, bool, error) { return p, true, nil }
	byName := func(name string) func(*Pod) bool { return func(p *Pod) bool { return p.Name == name } }
	onlyWeb := byName("web")
	logger := slog.New(slog.DiscardHandler)
	for _, c := range []struct {
		name          string
		first, second informer.Options[*Pod]
		want          string
	}{
		{"no options", informer.Options[*Pod]{}, informer.Options[*Pod]{}, ""},
		{"equal functions", informer.Options[*Pod]{Transform: strip, Filter: onlyWeb}, informer.Options[*Pod]{Transform: strip, Filter: onlyWeb}, ""},
		{"second without Transform", informer.Options[*Pod]{Transform: strip}, informer.Options[*Pod]{}, "Transform"},
		{"first without Transform", informer.Options[*Pod]{}, informer.Options[*Pod]{Transform: strip}, "Transform"},
		{"closures of the same code", informer.Options[*Pod]{Filter: onlyWeb}, informer.Options[*Pod]{Filter: byName("db")}, "Filter"},
		{"second without options", informer.Options[*Pod]{Name: "one", IdleTimeout: time.Hour, PreferList: true, Logger: logger, WatchErrorHandler: func(context.Context, error) {}}, informer.Options[*Pod]{}, ""},
		{"equal options", informer.Options[*Pod]{Name: "one", IdleTimeout: time.Hour, PreferList: true, Logger: logger}, informer.Options[*Pod]{Name: "one", IdleTimeout: time.Hour, PreferList: true, Logger: logger}, ""},
		{"different Name", informer.Options[*Pod]{Name: "one"}, informer.Options[*Pod]{Name: "other"}, "Name"},
		{"different IdleTimeout", informer.Options[*Pod]{}, informer.Options[*Pod]{IdleTimeout: time.Hour}, "IdleTimeout"},
		{"different WatchErrorHandler", informer.Options[*Pod]{}, informer.Options[*Pod]{WatchErrorHandler: func(context.Context, error) {}}, "WatchErrorHandler"},
	} {
		t.Run(c.name, func(t *testing.T) {
			withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
				view := rest.NewView[*Pod](y.client, pods)
				first := informer.For(y.factory, view, c.first)
				second := informer.For(y.factory, view, c.second)
				_, err := second.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{}, informer.HandlerOptions{})
				if c.want == "" {
					require.NoError(t, err)
					require.NoError(t, y.factory.Start(y.ctx))
					require.NoError(t, second.WaitForSync(y.ctx))
					return
				}
				require.ErrorIs(t, err, informer.ErrOptionsConflict)
				require.ErrorContains(t, err, c.want)
				require.ErrorIs(t, y.factory.Start(y.ctx), informer.ErrOptionsConflict)
				require.NoError(t, first.WaitForSync(y.ctx))
				require.ErrorIs(t, second.WaitForSync(y.ctx), informer.ErrOptionsConflict)
				require.ErrorIs(t, y.factory.WaitForSync(y.ctx), informer.ErrOptionsConflict)
				second.Release()
				require.NoError(t, y.factory.WaitForSync(y.ctx))
			})
		})
	}
}

// embeddedView embeds a view and lists fewer objects.
type embeddedView struct{ *rest.View[*Pod] }

func (a embeddedView) List(ctx context.Context, options metav1.ListOptions) (*listwatch.List[*Pod], error) {
	options.LabelSelector = "app=web"
	return a.View.List(ctx, options)
}

// Promise: methods that a struct has from an embedded View do not identify it with
// that View.
func TestFactoryDistinguishesEmbeddedView(t *testing.T) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		y.create("a", "web")
		y.create("a", "db")
		view := rest.NewView[*Pod](y.client, pods)
		all := informer.For(y.factory, view, informer.Options[*Pod]{PreferList: true})
		web := informer.For(y.factory, embeddedView{view}, informer.Options[*Pod]{PreferList: true})
		informer.For(y.factory, embeddedView{view}, informer.Options[*Pod]{PreferList: true})
		require.Len(t, y.names(), 2)
		y.start()
		require.Equal(t, []string{"a/db", "a/web"}, keysOf(all))
		require.Equal(t, []string{"a/web"}, keysOf(web))
	})
}

// fixedSource is a source without a server, without objects and with an identity.
type fixedSource struct {
	listwatch.ListWatch[*Pod]
	identity any
}

func (f *fixedSource) Identity() any { return f.identity }

func newFixedSource(identity any) *fixedSource {
	f := &fixedSource{identity: identity}
	f.ListFunc = func(context.Context, metav1.ListOptions) (*listwatch.List[*Pod], error) {
		return rest.ListOf[*Pod]("1"), nil
	}
	f.WatchFunc = func(context.Context, metav1.ListOptions) (*listwatch.Watch[*Pod], error) {
		return rest.NewWatch(func(ctx context.Context) (listwatch.Event[*Pod], error) {
			<-ctx.Done()
			return listwatch.Event[*Pod]{}, ctx.Err()
		}, nil), nil
	}
	return f
}

// Promise: a source needs no ResourceInfo. Sharing depends on what it provides.
func TestFactoryAcceptsSourceWithoutResourceInfo(t *testing.T) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		source := &newFixedSource(nil).ListWatch
		request := func(s informer.Source[*Pod]) {
			informer.For(y.factory, s, informer.Options[*Pod]{PreferList: true})
		}
		request(source)
		request(source)
		require.Len(t, y.names(), 1, "requests with the same pointer")
		require.Equal(t, []string{"*informer_test.Pod"}, y.names())
		request(&newFixedSource(nil).ListWatch)
		require.Len(t, y.names(), 2)
		request(newFixedSource("one"))
		request(newFixedSource("one"))
		require.Len(t, y.names(), 3, "sources with equal identities")
		request(newFixedSource([]int{1}))
		request(newFixedSource([]int{1}))
		require.Len(t, y.names(), 5, "identities that are not comparable")
		request(newFixedSource(nil))
		request(newFixedSource(nil))
		require.Len(t, y.names(), 7)
		y.start()
	})
}

// The first call and Start return the error of invalid arguments.
func TestInvalidArgumentsOfAFactoryAreErrors(t *testing.T) {
	var nilView *rest.View[*Pod]
	for _, c := range []struct {
		name      string
		namespace string
		request   func(f *informer.Factory) (release func(), first error)
		want      error
	}{
		{"nil", "", requestInformer[*Pod](nil), informer.ErrNoSource},
		{"nil pointer", "", requestInformer[*Pod](nilView), informer.ErrNoSource},
		{"interface type", "", requestInformer[rest.Object](nil), informer.ErrNotStruct},
		{"custom source in a namespace", "shop", requestInformer[*Pod](newFixedSource("x")), informer.ErrNoNamespace},
		{"embedded View in a namespace", "shop", requestInformer[*Pod](embeddedView{new(rest.View[*Pod])}), informer.ErrNoNamespace},
	} {
		t.Run(c.name, func(t *testing.T) {
			withFactory(t, informer.FactoryOptions{Namespace: c.namespace}, func(y *factoryFixture) {
				release, first := c.request(y.factory)
				require.ErrorIs(t, first, c.want)
				require.ErrorIs(t, y.factory.Start(y.ctx), c.want)
				require.ErrorIs(t, y.factory.WaitForSync(y.ctx), c.want)
				release()
				require.NoError(t, y.factory.Start(y.ctx))
			})
		})
	}
}

func requestInformer[T rest.Object](source informer.Source[T]) func(f *informer.Factory) (func(), error) {
	return func(f *informer.Factory) (func(), error) {
		inf := informer.For(f, source, informer.Options[T]{})
		_, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[T]{}, informer.HandlerOptions{})
		return inf.Release, err
	}
}

// Promise: the error of WaitForSync has the reason of each informer that has not synced.
func TestFactoryWaitForSyncReturnsReasons(t *testing.T) {
	withFactory(t, informer.FactoryOptions{WatchErrorHandler: func(context.Context, error) {}}, func(y *factoryFixture) {
		y.server.Fault(apitest.Fault{Match: apitest.Match{Resource: "pods"}, Action: apitest.Fail(http.StatusForbidden, 0)})
		y.pods("")
		informer.For(y.factory, rest.NewView[*slimPod](y.client, nodes), informer.Options[*slimPod]{})
		require.NoError(t, y.factory.Start(y.ctx))
		ctx, cancel := context.WithTimeout(y.ctx, time.Minute)
		defer cancel()
		err := y.factory.WaitForSync(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.True(t, apierrors.IsForbidden(err), "%v", err)
		require.ErrorContains(t, err, "pods")
		require.NotContains(t, err.Error(), "nodes")
	})
}

// Promise: Shutdown stops all informers, waits for them, and is final.
func TestFactoryShutdownStopsAllInformers(t *testing.T) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		y.create("a", "web")
		inf := y.pods("")
		never := informer.For(y.factory, rest.NewView[*slimPod](y.client, nodes), informer.Options[*slimPod]{})
		released := y.pods("app=web")
		returned := false
		_, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{AddFunc: func(*Pod, bool) {
			time.Sleep(time.Hour)
			returned = true
		}}, informer.HandlerOptions{})
		require.NoError(t, err)
		released.Release()
		ctx, cancel := context.WithCancel(y.ctx)
		defer cancel()
		never.Release()
		require.NoError(t, y.factory.Start(ctx))
		require.NoError(t, y.factory.WaitForSync(ctx))
		never = informer.For(y.factory, rest.NewView[*slimPod](y.client, nodes), informer.Options[*slimPod]{})
		synctest.Wait()

		require.NoError(t, y.factory.Shutdown())
		require.True(t, returned, "Shutdown returned before the callback")
		require.NoError(t, y.factory.Shutdown())
		require.Zero(t, y.watches())
		require.Equal(t, []string{"a/web"}, keysOf(inf), "the stored objects cannot be read")
		require.ErrorIs(t, y.factory.Start(y.ctx), informer.ErrStopped)
		late := y.pods("")
		require.ErrorIs(t, late.WaitForSync(y.ctx), informer.ErrStopped)
		_, err = late.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{}, informer.HandlerOptions{})
		require.ErrorIs(t, err, informer.ErrStopped)
		late.Release()
		_, err = never.AddEventHandler(informer.ResourceEventHandlerFuncs[*slimPod]{}, informer.HandlerOptions{})
		require.ErrorIs(t, err, informer.ErrStopped, "an informer that was never started")
		inf.Release()
		require.Empty(t, keysOf(inf))
	})
}

// Promise: the error names handlers that did not return in time, also before
// Shutdown.
func TestFactoryShutdownNamesLateHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stuck sync.WaitGroup
		unblock, release := make(chan struct{}), func() {}
		f := informer.NewFactory(informer.FactoryOptions{Logger: slog.New(slog.DiscardHandler)})
		for _, name := range []string{"unreleased", "released"} {
			inf := informer.For(f, newFixedSource(name), informer.Options[*Pod]{Name: name, PreferList: true})
			_, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{}, informer.HandlerOptions{})
			require.NoError(t, err)
			source := newFixedSource(name + " with pods")
			source.ListFunc = func(context.Context, metav1.ListOptions) (*listwatch.List[*Pod], error) {
				return rest.ListOf("1", &Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}), nil
			}
			stuck.Add(1)
			full := informer.For(f, source, informer.Options[*Pod]{Name: name + " full", PreferList: true})
			_, err = full.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{AddFunc: func(*Pod, bool) {
				defer stuck.Done()
				<-unblock
			}}, informer.HandlerOptions{Name: "stuck", StopTimeout: time.Minute})
			require.NoError(t, err)
			if name == "released" {
				release = full.Release
			}
		}
		require.NoError(t, f.Start(t.Context()))
		synctest.Wait()
		release()
		time.Sleep(time.Hour)
		err := f.Shutdown()
		var stop *informer.StopError
		require.ErrorAs(t, err, &stop)
		require.ErrorContains(t, err, "unreleased full")
		require.ErrorContains(t, err, "released full")
		require.ErrorContains(t, err, "stuck")
		require.Equal(t, err.Error(), f.Shutdown().Error())
		close(unblock)
		stuck.Wait()
	})
}

// TestFactoryMayBeUsedConcurrently is for the race detector and goleak.
func TestFactoryMayBeUsedConcurrently(t *testing.T) {
	withFactory(t, informer.FactoryOptions{}, func(y *factoryFixture) {
		y.create("a", "web")
		var users sync.WaitGroup
		for i := range 8 {
			users.Go(func() {
				for j := range 20 {
					inf := y.pods([]string{"", "app=web", "app=db"}[(i+j)%3])
					if _, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{}, informer.HandlerOptions{}); err != nil {
						t.Error(err)
					}
					if err := y.factory.Start(y.ctx); err != nil {
						t.Error(err)
					}
					if j%2 == 0 {
						if err := inf.WaitForSync(y.ctx); err != nil {
							t.Error(err)
						}
					}
					_ = y.factory.WaitForSync(y.ctx) // other goroutines may release their informers
					_ = len(y.names())
					inf.Release()
				}
			})
		}
		users.Wait()
		require.Zero(t, y.watches())
		require.Empty(t, y.names())
	})
}
