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

// slimPod is another view of a pod.
type slimPod struct {
	rest.SlimMeta `json:"metadata"`
}

// yard is a server, a client of it and a factory, in fake time.
type yard struct {
	t       *testing.T
	server  *apitest.Server
	client  *rest.Client
	factory *informer.Factory
	ctx     context.Context
}

func inYard(t *testing.T, o informer.FactoryOptions, test func(y *yard)) {
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
		y := &yard{t, server, client, informer.NewFactory(o), ctx}
		defer func() { require.NoError(t, y.factory.Shutdown()) }()
		test(y)
	})
}

// pods asks for an informer of pods, with labels if there are any.
func (y *yard) pods(selector string) *informer.SharedInformer[*Pod] {
	o := informer.Options[*Pod]{}
	if selector != "" {
		o.Tweak = func(options *metav1.ListOptions) { options.LabelSelector = selector }
	}
	return informer.For(y.factory, rest.NewView[*Pod](y.client, pods), o)
}

// start starts what there is and waits until it is quiet.
func (y *yard) start() {
	y.t.Helper()
	require.NoError(y.t, y.factory.Start(y.ctx))
	require.NoError(y.t, y.factory.WaitForSync(y.ctx))
	synctest.Wait()
}

func (y *yard) create(namespace, name string) *Pod {
	return apitest.Create(y.t, y.server, &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": name}}})
}

func (y *yard) names() (names []string) {
	for _, inf := range y.factory.Informers() {
		names = append(names, inf.State().Name)
	}
	return names
}

func keysOf(inf informer.AnyInformer) []string {
	return slices.Sorted(inf.Keys())
}

// watches are what the server has open, when all is quiet.
func (y *yard) watches() int {
	synctest.Wait()
	return y.server.OpenWatches()
}

// Promise: one informer for all who want the same objects, by the same type,
// from the same source, chosen by the same options; another for all else.
func TestFactorySharesWhatIsTheSame(t *testing.T) {
	inYard(t, informer.FactoryOptions{}, func(y *yard) {
		y.create("a", "web")
		view := rest.NewView[*Pod](y.client, pods)
		same := []*informer.SharedInformer[*Pod]{
			y.pods(""), y.pods(""),
			informer.For(y.factory, view, informer.Options[*Pod]{}),
			informer.For(y.factory, view, informer.Options[*Pod]{Tweak: func(*metav1.ListOptions) {}}),
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
		require.Equal(t, []string{"pods", "pods -l app=web", "pods", "slim", "nodes"}, y.names())
		y.start()
		require.Equal(t, 5, y.watches())
	})
}

// Promise: Release removes the user's handlers, and the last one stops the watch
// and frees the store.
func TestFactoryStopsWhatNobodyUses(t *testing.T) {
	inYard(t, informer.FactoryOptions{}, func(y *yard) {
		y.create("a", "web")
		one, two := y.pods(""), y.pods("")
		var toldOne, toldTwo []string
		tell := func(told *[]string) informer.ResourceEventHandler[*Pod] {
			return informer.ResourceEventHandlerFuncs[*Pod]{AddFunc: func(p *Pod, _ bool) { *told = append(*told, p.Name) }}
		}
		registration, err := one.AddEventHandler(tell(&toldOne), informer.HandlerOptions{})
		require.NoError(t, err)
		_, err = two.AddEventHandler(tell(&toldTwo), informer.HandlerOptions{})
		require.NoError(t, err)
		y.start()

		one.Release()
		one.Release()
		<-registration.Done()
		y.create("a", "db")
		require.Equal(t, 1, y.watches())
		require.Equal(t, []string{"web"}, toldOne)
		require.Equal(t, []string{"web", "db"}, toldTwo)
		_, err = one.AddEventHandler(tell(&toldOne), informer.HandlerOptions{})
		require.ErrorIs(t, err, informer.ErrReleased)
		_, err = one.AddIndex("i", func(*Pod) []string { return nil })
		require.ErrorIs(t, err, informer.ErrReleased)

		two.Release()
		require.Zero(t, y.watches())
		require.Empty(t, y.names())
		require.Empty(t, keysOf(two), "the store is free, even for those who hold on to the informer")
		require.ErrorIs(t, two.WaitForSync(y.ctx), informer.ErrStopped)

		again := y.pods("")
		y.start()
		require.Equal(t, []string{"a/db", "a/web"}, keysOf(again))
	})
}

// Promise: a callback may release its own informer.
func TestReleaseFromACallback(t *testing.T) {
	inYard(t, informer.FactoryOptions{}, func(y *yard) {
		y.create("a", "web")
		inf := y.pods("")
		registration, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{AddFunc: func(*Pod, bool) { inf.Release() }}, informer.HandlerOptions{})
		require.NoError(t, err)
		require.NoError(t, y.factory.Start(y.ctx))
		<-registration.Done()
		require.Zero(t, y.watches())
	})
}

// Promise: who is released while somebody waits for all is not waited for.
func TestFactoryDoesNotWaitForWhatIsReleased(t *testing.T) {
	inYard(t, informer.FactoryOptions{WatchErrorHandler: func(context.Context, error) {}}, func(y *yard) {
		y.server.Fault(apitest.Fault{On: apitest.Match{Resource: "pods"}, Do: apitest.Fail(http.StatusForbidden, 0)})
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

// Promise: Start may be called again, for those that were asked for since.
func TestFactoryStartsTheNewOnes(t *testing.T) {
	inYard(t, informer.FactoryOptions{}, func(y *yard) {
		require.NoError(t, y.factory.WaitForSync(y.ctx), "nothing was asked for")
		y.pods("")
		require.ErrorIs(t, y.factory.WaitForSync(y.ctx), informer.ErrNotRunning)
		y.start()
		require.Equal(t, 1, y.watches())
		late := y.pods("app=web")
		require.Equal(t, 1, y.watches())
		require.ErrorIs(t, late.Run(y.ctx), informer.ErrFactoryRuns)
		y.start()
		y.start()
		require.Equal(t, 2, y.watches())
	})
}

// Promise: what stopped with its context is not handed out again.
func TestFactoryMakesAnewWhatHasStopped(t *testing.T) {
	inYard(t, informer.FactoryOptions{}, func(y *yard) {
		y.create("a", "web")
		old := y.pods("")
		ctx, cancel := context.WithCancel(y.ctx)
		require.NoError(t, y.factory.Start(ctx))
		require.NoError(t, old.WaitForSync(ctx))
		cancel()
		require.Zero(t, y.watches())
		require.Equal(t, []string{"a/web"}, keysOf(old), "what it had can be read")
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

// Promise: nor is what is about to, while it waits for a handler.
func TestFactoryDoesNotHandOutWhatIsStopping(t *testing.T) {
	inYard(t, informer.FactoryOptions{}, func(y *yard) {
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
		require.NoError(t, again.WaitForSync(y.ctx), "the end of the old one takes nothing from the new")
		require.Len(t, y.names(), 2)
	})
}

// Promise: a factory runs its informers, and nobody else does, however they came
// by one.
func TestInformersOfAFactoryAreNotRunByOthers(t *testing.T) {
	inYard(t, informer.FactoryOptions{}, func(y *yard) {
		y.pods("")
		mine, ok := y.factory.Informers()[0].(*informer.SharedInformer[*Pod])
		require.True(t, ok)
		require.ErrorIs(t, mine.Run(y.ctx), informer.ErrFactoryRuns)
		mine.Release()
		y.start()
		require.Equal(t, 1, y.watches(), "what has a user is not stopped by others")
	})
}

// Promise: a guard that ends the goroutine, as t.FailNow does, ends the informer.
func TestFactoryOfAGuardThatEndsTheGoroutine(t *testing.T) {
	inYard(t, informer.FactoryOptions{MutationGuard: func(error) { runtime.Goexit() }}, func(y *yard) {
		pod := y.create("a", "web")
		inf := y.pods("")
		_, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{AddFunc: func(p *Pod, _ bool) { p.Labels["app"] = "changed" }}, informer.HandlerOptions{})
		require.NoError(t, err)
		y.start()
		pod.Labels = map[string]string{"app": "anew"}
		apitest.Update(t, y.server, pod)
		synctest.Wait()
		require.Zero(t, y.watches())
		inf.Release()
		require.Empty(t, keysOf(inf), "it has ended, and lets go")
	})
}

// Promise: namespace, tweak and transform of the factory hold for all.
func TestFactoryOptionsHoldForAll(t *testing.T) {
	o := informer.FactoryOptions{
		Namespace: "a",
		Tweak:     func(options *metav1.ListOptions) { options.LabelSelector = "app in (web,db,cache)" },
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
	inYard(t, o, func(y *yard) {
		y.create("a", "web")
		y.create("a", "db")
		y.create("a", "cache")
		y.create("a", "other")
		y.create("b", "web")
		apitest.Create(t, y.server, &Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: map[string]string{"app": "web"}}})
		own := informer.For(y.factory, rest.NewResource[*Pod](y.client, pods), informer.Options[*Pod]{
			Tweak: func(options *metav1.ListOptions) { options.FieldSelector = "metadata.name!=cache" },
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
		require.Equal(t, []string{"n1"}, keysOf(cluster), "what is in no namespace is not narrowed")
		require.Equal(t, "nodes -l app in (web,db,cache)", cluster.State().Name)
		pod, _ := own.Get("a/web")
		require.Equal(t, "factory and own", pod.Annotations["seen"])
		require.Equal(t, "pods -n a -l app in (web,db,cache) --field-selector metadata.name!=cache", own.State().Name)
	})
}

// Promise: who asks for the same with other options is told at the first call,
// and whoever was first is not disturbed.
func TestFactoryRefusesOtherOptions(t *testing.T) {
	strip := func(p *Pod) (*Pod, bool, error) { return p, true, nil }
	byName := func(name string) func(*Pod) bool { return func(p *Pod) bool { return p.Name == name } }
	onlyWeb := byName("web")
	logger := slog.New(slog.DiscardHandler)
	for _, c := range []struct {
		name          string
		first, second informer.Options[*Pod]
		want          string
	}{
		{"nothing", informer.Options[*Pod]{}, informer.Options[*Pod]{}, ""},
		{"the same functions", informer.Options[*Pod]{Transform: strip, Filter: onlyWeb}, informer.Options[*Pod]{Transform: strip, Filter: onlyWeb}, ""},
		{"no Transform after one", informer.Options[*Pod]{Transform: strip}, informer.Options[*Pod]{}, "Transform"},
		{"a Transform after none", informer.Options[*Pod]{}, informer.Options[*Pod]{Transform: strip}, "Transform"},
		{"a closure of the same code", informer.Options[*Pod]{Filter: onlyWeb}, informer.Options[*Pod]{Filter: byName("db")}, "Filter"},
		{"the rest left out", informer.Options[*Pod]{Name: "mine", Silence: time.Hour, PreferList: true, Logger: logger, WatchErrorHandler: func(context.Context, error) {}}, informer.Options[*Pod]{}, ""},
		{"the same again", informer.Options[*Pod]{Name: "mine", Silence: time.Hour, PreferList: true, Logger: logger}, informer.Options[*Pod]{Name: "mine", Silence: time.Hour, PreferList: true, Logger: logger}, ""},
		{"another name", informer.Options[*Pod]{Name: "mine"}, informer.Options[*Pod]{Name: "yours"}, "Name"},
		{"another duration", informer.Options[*Pod]{}, informer.Options[*Pod]{Silence: time.Hour}, "Silence"},
		{"another handler of errors", informer.Options[*Pod]{}, informer.Options[*Pod]{WatchErrorHandler: func(context.Context, error) {}}, "WatchErrorHandler"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inYard(t, informer.FactoryOptions{}, func(y *yard) {
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
				require.ErrorIs(t, err, informer.ErrOtherOptions)
				require.ErrorContains(t, err, c.want)
				require.ErrorIs(t, y.factory.Start(y.ctx), informer.ErrOtherOptions)
				require.NoError(t, first.WaitForSync(y.ctx))
				require.ErrorIs(t, second.WaitForSync(y.ctx), informer.ErrOtherOptions)
				require.ErrorIs(t, y.factory.WaitForSync(y.ctx), informer.ErrOtherOptions)
				second.Release()
				require.NoError(t, y.factory.WaitForSync(y.ctx))
			})
		})
	}
}

// aroundView is a source that was put around another, and shows less.
type aroundView struct{ *rest.View[*Pod] }

func (a aroundView) List(ctx context.Context, options metav1.ListOptions) (*listwatch.List[*Pod], error) {
	options.LabelSelector = "app=web"
	return a.View.List(ctx, options)
}

// Promise: what a struct has from a View that it embeds does not make it that
// View.
func TestFactoryTellsAViewFromWhatIsAroundIt(t *testing.T) {
	inYard(t, informer.FactoryOptions{}, func(y *yard) {
		y.create("a", "web")
		y.create("a", "db")
		view := rest.NewView[*Pod](y.client, pods)
		all := informer.For(y.factory, view, informer.Options[*Pod]{PreferList: true})
		web := informer.For(y.factory, aroundView{view}, informer.Options[*Pod]{PreferList: true})
		informer.For(y.factory, aroundView{view}, informer.Options[*Pod]{PreferList: true})
		require.Len(t, y.names(), 2)
		y.start()
		require.Equal(t, []string{"a/db", "a/web"}, keysOf(all))
		require.Equal(t, []string{"a/web"}, keysOf(web))
	})
}

// fixed is a source of no server: nothing is in it, and it tells who it is.
type fixed struct {
	listwatch.ListWatch[*Pod]
	identity any
}

func (f *fixed) Identity() any { return f.identity }

func aFixed(identity any) *fixed {
	f := &fixed{identity: identity}
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

// Promise: a source needs no resource. What is known of it decides what is
// shared.
func TestFactoryOfSourcesByHand(t *testing.T) {
	inYard(t, informer.FactoryOptions{}, func(y *yard) {
		byHand := &aFixed(nil).ListWatch
		ask := func(s informer.Source[*Pod]) {
			informer.For(y.factory, s, informer.Options[*Pod]{PreferList: true})
		}
		ask(byHand)
		ask(byHand)
		require.Len(t, y.names(), 1, "a pointer is the same as itself")
		require.Equal(t, []string{"*informer_test.Pod"}, y.names())
		ask(&aFixed(nil).ListWatch)
		require.Len(t, y.names(), 2)
		ask(aFixed("one"))
		ask(aFixed("one"))
		require.Len(t, y.names(), 3, "by identity")
		ask(aFixed([]int{1}))
		ask(aFixed([]int{1}))
		require.Len(t, y.names(), 5, "what cannot be compared is not shared")
		ask(aFixed(nil))
		ask(aFixed(nil))
		require.Len(t, y.names(), 7)
		y.start()
	})
}

// Bad input: the error of the first call, and of Start.
func TestFactoryOfWhatIsWrong(t *testing.T) {
	var nilView *rest.View[*Pod]
	for _, c := range []struct {
		name      string
		namespace string
		ask       func(f *informer.Factory) (release func(), first error)
		want      error
	}{
		{"no source", "", askFor[*Pod](nil), informer.ErrNoSource},
		{"a nil source", "", askFor[*Pod](nilView), informer.ErrNoSource},
		{"an interface", "", askFor[rest.Object](nil), informer.ErrNotStruct},
		{"by hand in a namespace", "shop", askFor[*Pod](aFixed("x")), informer.ErrNoNamespace},
		{"around a View in a namespace", "shop", askFor[*Pod](aroundView{new(rest.View[*Pod])}), informer.ErrNoNamespace},
	} {
		t.Run(c.name, func(t *testing.T) {
			inYard(t, informer.FactoryOptions{Namespace: c.namespace}, func(y *yard) {
				release, first := c.ask(y.factory)
				require.ErrorIs(t, first, c.want)
				require.ErrorIs(t, y.factory.Start(y.ctx), c.want)
				require.ErrorIs(t, y.factory.WaitForSync(y.ctx), c.want)
				release()
				require.NoError(t, y.factory.Start(y.ctx))
			})
		})
	}
}

func askFor[T rest.Object](source informer.Source[T]) func(f *informer.Factory) (func(), error) {
	return func(f *informer.Factory) (func(), error) {
		inf := informer.For(f, source, informer.Options[T]{})
		_, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[T]{}, informer.HandlerOptions{})
		return inf.Release, err
	}
}

// Promise: sync failure has a reason, for each informer.
func TestFactoryTellsWhyThereIsNoList(t *testing.T) {
	inYard(t, informer.FactoryOptions{WatchErrorHandler: func(context.Context, error) {}}, func(y *yard) {
		y.server.Fault(apitest.Fault{On: apitest.Match{Resource: "pods"}, Do: apitest.Fail(http.StatusForbidden, 0)})
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

// Promise: Shutdown stops all, waits, and is the end.
func TestFactoryShutdown(t *testing.T) {
	inYard(t, informer.FactoryOptions{}, func(y *yard) {
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
		require.True(t, returned, "it waits for callbacks")
		require.NoError(t, y.factory.Shutdown())
		require.Zero(t, y.watches())
		require.Equal(t, []string{"a/web"}, keysOf(inf), "what it had can be read")
		require.ErrorIs(t, y.factory.Start(y.ctx), informer.ErrStopped)
		late := y.pods("")
		require.ErrorIs(t, late.WaitForSync(y.ctx), informer.ErrStopped)
		_, err = late.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{}, informer.HandlerOptions{})
		require.ErrorIs(t, err, informer.ErrStopped)
		late.Release()
		_, err = never.AddEventHandler(informer.ResourceEventHandlerFuncs[*slimPod]{}, informer.HandlerOptions{})
		require.ErrorIs(t, err, informer.ErrStopped, "one that was never started learns of it")
		inf.Release()
		require.Empty(t, keysOf(inf))
	})
}

// Promise: whoever did not end well is named, also if it was before Shutdown.
func TestFactoryShutdownNamesWhoDidNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stuck sync.WaitGroup
		let, leave := make(chan struct{}), func() {}
		f := informer.NewFactory(informer.FactoryOptions{Logger: slog.New(slog.DiscardHandler)})
		for _, name := range []string{"kept", "let go"} {
			inf := informer.For(f, aFixed(name), informer.Options[*Pod]{Name: name, PreferList: true})
			_, err := inf.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{}, informer.HandlerOptions{})
			require.NoError(t, err)
			source := aFixed(name + " with pods")
			source.ListFunc = func(context.Context, metav1.ListOptions) (*listwatch.List[*Pod], error) {
				return rest.ListOf("1", &Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}), nil
			}
			stuck.Add(1)
			full := informer.For(f, source, informer.Options[*Pod]{Name: name + " full", PreferList: true})
			_, err = full.AddEventHandler(informer.ResourceEventHandlerFuncs[*Pod]{AddFunc: func(*Pod, bool) {
				defer stuck.Done()
				<-let
			}}, informer.HandlerOptions{Name: "stuck", StopTimeout: time.Minute})
			require.NoError(t, err)
			if name == "let go" {
				leave = full.Release
			}
		}
		require.NoError(t, f.Start(t.Context()))
		synctest.Wait()
		leave()
		time.Sleep(time.Hour)
		err := f.Shutdown()
		var stop *informer.StopError
		require.ErrorAs(t, err, &stop)
		require.ErrorContains(t, err, "kept full")
		require.ErrorContains(t, err, "let go full")
		require.ErrorContains(t, err, "stuck")
		require.Equal(t, err.Error(), f.Shutdown().Error())
		close(let)
		stuck.Wait()
	})
}

// Concurrent use: what the race detector and goleak have to say about it.
func TestFactoryIsForManyAtOnce(t *testing.T) {
	inYard(t, informer.FactoryOptions{}, func(y *yard) {
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
					_ = y.factory.WaitForSync(y.ctx) // others release theirs meanwhile
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
