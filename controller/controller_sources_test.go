package controller_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// sourcesFixture is a running controller without objects, whose sources come and go.
type sourcesFixture struct {
	*testProgram
	c       *controller.Controller
	program *controller.Program

	mu         sync.Mutex
	reconciled []string
}

// withSources runs test in a bubble with a controller of a channel, which does nothing.
func withSources(t *testing.T, o controller.Options, reconcile controller.Func, test func(*sourcesFixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &sourcesFixture{testProgram: newTestProgram(t, apitest.Options{})}
		o.Logger = quiet
		s.c = controller.New("sources", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			s.mu.Lock()
			s.reconciled = append(s.reconciled, req.Name)
			s.mu.Unlock()
			return reconcile(ctx, req)
		}), o)
		controller.Channel(s.c, make(chan controller.Request))
		s.program = s.start(s.c)
		test(s)
		require.NoError(t, s.stopAndWait())
	})
}

// things returns an informer of a kind from the factory.
func (s *sourcesFixture) things(k testKind) *informer.SharedInformer[*thing] {
	return informer.For(s.factory, rest.NewView[*thing](s.client, k.info()), informer.Options[*thing]{})
}

// take returns the reconciles since the last call, sorted.
func (s *sourcesFixture) take() []string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.reconciled
	s.reconciled = nil
	slices.Sort(all)
	return all
}

// For during Run enqueues the existing objects and then the changes, without another
// start of the controller. Remove ends that; the controller and its other sources
// continue, and a later For of the same informer works.
func TestForDuringRun(t *testing.T) {
	withSources(t, controller.Options{}, doNothing, func(s *sourcesFixture) {
		t := s.t
		s.create("a")
		require.True(t, s.c.State().Synced)
		watch := controller.For(s.c, s.maps)
		require.Equal(t, []string{"a"}, s.take())
		s.create("b")
		require.Equal(t, []string{"b"}, s.take())
		require.True(t, s.c.State().Synced)
		require.Len(t, s.c.Informers(), 1)

		watch.Remove()
		watch.Remove()
		s.create("c")
		require.Empty(t, s.take())
		require.Empty(t, s.c.Informers())
		require.True(t, s.c.State().Running)

		controller.For(s.c, s.maps)
		require.Equal(t, []string{"a", "b", "c"}, s.take())
	})
}

// A source whose informer has not synced does not delay the others. State.Synced is
// false until its existing objects are enqueued. If it is removed before that, the
// controller no longer waits for it.
func TestSourceThatHasNotSynced(t *testing.T) {
	withSources(t, controller.Options{}, doNothing, func(s *sourcesFixture) {
		t := s.t
		controller.For(s.c, s.maps)
		late, never := s.things(numberedKind(1)), s.things(numberedKind(2))
		controller.Watches(s.c, late, func(o *thing) []controller.Request { return []controller.Request{{Name: "late " + o.Name}} })
		removed := controller.For(s.c, never)
		time.Sleep(time.Minute)
		require.False(t, s.c.State().Synced)
		require.Len(t, s.c.State().UnreadyInformers, 2)
		s.create("a")
		require.Equal(t, []string{"a"}, s.take())

		removed.Remove()
		never.Release()
		synctest.Wait()
		require.Len(t, s.c.State().UnreadyInformers, 1)
		numberedKind(1).define(t, s.srv)
		numberedKind(1).create(t, s.srv, "x")
		time.Sleep(time.Minute)
		require.Equal(t, []string{"late x"}, s.take())
		require.True(t, s.c.State().Synced)
	})
}

// Each informer that has not synced is logged once per period, however many sources were
// added during Run.
func TestLogOfSourcesThatHaveNotSynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		log := new(logBuffer)
		c := controller.New("many", controller.Func(doNothing), controller.Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
		controller.For(c, s.maps)
		s.start(c)
		time.Sleep(10 * time.Second)
		const kinds = 20
		for i := range kinds {
			controller.Watches(c, (&sourcesFixture{testProgram: s}).things(numberedKind(i)), func(*thing) []controller.Request { return nil })
		}
		for range 2 {
			time.Sleep(5 * time.Minute)
			text := log.take()
			require.Equal(t, kinds, strings.Count(text, "Waiting for the first list of an informer"))
			for i := range kinds {
				require.Equal(t, 1, strings.Count(text, "informer="+numberedKind(i).plural+"."))
			}
		}
		require.NoError(t, s.stopAndWait())
	})
}

// A mapping may add a source and remove its own watch. A call in progress when the watch
// is removed continues, and the end of the run waits for it.
func TestSourcesChangedByMapping(t *testing.T) {
	withSources(t, controller.Options{}, doNothing, func(s *sourcesFixture) {
		t := s.t
		k := numberedKind(1)
		k.define(t, s.srv)
		k.create(t, s.srv, "x")
		things := s.things(k)
		var watch *controller.Watch[*configMap]
		added := make(chan struct{})
		watch = controller.Watches(s.c, s.maps, func(o *configMap) []controller.Request {
			<-added
			controller.For(s.c, things)
			watch.Remove()
			time.Sleep(time.Second)
			return []controller.Request{{Name: "mapped " + o.Name}}
		})
		close(added)
		s.create("a")
		synctest.Wait()
		require.Equal(t, []string{"x"}, s.take())
		s.create("b")
		time.Sleep(2 * time.Second)
		require.Equal(t, []string{"mapped a"}, s.take())
	})
}

// Run waits for the function of a watch that was removed, and names it if it does not
// return.
func TestRemovedWatchWithHangingMapping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestProgram(t, apitest.Options{})
		s.create("a")
		release := make(chan struct{})
		c := s.newController("maps", doNothing)
		watch := controller.Watches(c, s.maps, func(*configMap) []controller.Request { <-release; return nil })
		program := s.start(c)
		watch.Remove()
		time.Sleep(time.Minute)
		var late *controller.StopError
		require.ErrorAs(t, program.Remove(t.Context(), c), &late)
		require.Equal(t, []string{"configmaps"}, late.Sources)
		close(release)
		synctest.Wait()
		require.NoError(t, program.Remove(t.Context(), c))
		require.NoError(t, s.stopAndWait())
	})
}

// A reconcile may add a source. A For during Run gives Owns the kind of the owners, and
// its removal takes it away.
func TestOwnsDuringRun(t *testing.T) {
	withSources(t, controller.Options{}, doNothing, func(s *sourcesFixture) {
		t := s.t
		k := numberedKind(1)
		k.define(t, s.srv)
		things := s.things(k)
		owners := controller.For(s.c, things)
		controller.Owns(s.c, s.maps)
		require.Empty(t, s.take())
		owned := newMap("owned")
		yes := true
		owned.OwnerReferences = []metav1.OwnerReference{{APIVersion: k.group + "/v1", Kind: k.kind, Name: "owner", UID: "1", Controller: &yes}}
		apitest.Create(t, s.srv, owned)
		require.Equal(t, []string{"owner"}, s.take())
		owners.Remove()
		apitest.Modify(t, s.srv, owned, func(o *configMap) { o.Data = map[string]string{"x": "y"} })
		require.Empty(t, s.take(), "the kind of the owner is no longer known")
	})
}

// A filter that is added during Run applies to what is received after that.
func TestFilterDuringRun(t *testing.T) {
	withSources(t, controller.Options{}, doNothing, func(s *sourcesFixture) {
		t := s.t
		watch := controller.For(s.c, s.maps)
		s.create("a")
		require.Equal(t, []string{"a"}, s.take())
		watch.FilterCreates(func(o *configMap) bool { return o.Name != "b" }).FilterDeletes(func(*configMap) bool { return false })
		s.create("b")
		s.create("c")
		require.Equal(t, []string{"c"}, s.take())
		apitest.Delete(t, s.srv, newMap("a"))
		require.Empty(t, s.take())
	})
}

// The resync of a For that is added during Run begins with it, and ends with its
// removal.
func TestResyncOfSourceAddedDuringRun(t *testing.T) {
	withSources(t, controller.Options{ResyncPeriod: time.Minute}, doNothing, func(s *sourcesFixture) {
		t := s.t
		s.create("a")
		watch := controller.For(s.c, s.maps)
		require.Equal(t, []string{"a"}, s.take())
		time.Sleep(10*time.Minute + time.Second)
		require.InDelta(t, 10, len(s.take()), 1)
		before := goroutinesOfBubbles()
		watch.Remove()
		synctest.Wait()
		require.Equal(t, before-4, goroutinesOfBubbles(), "the handler, the monitor, the resync and its iterator end")
		time.Sleep(10 * time.Minute)
		require.Empty(t, s.take())
	})
}

// A key that waits for an informer to observe a write continues when the watch of the
// informer is removed, since no event of it would release the key.
func TestRemovedWatchReleasesHeldKeys(t *testing.T) {
	var s *sourcesFixture
	reconcile := func(ctx context.Context, req controller.Request) (controller.Result, error) {
		if req.Name == "writes" {
			maps := rest.NewResource[*configMap](s.client, configMaps).Namespace("default")
			if _, err := maps.Create(ctx, newMap("written"), metav1.CreateOptions{}); err != nil {
				return controller.Result{}, controller.TerminalError(err)
			}
		}
		return controller.Result{}, nil
	}
	withSources(t, controller.Options{}, reconcile, func(f *sourcesFixture) {
		s = f
		t := s.t
		watch := controller.Watches(s.c, s.maps, func(*configMap) []controller.Request { return nil })
		synctest.Wait()
		s.srv.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.DelayEvents(time.Hour)})
		end := s.srv.BeginOutage(apitest.Outage{Kind: apitest.OutageReset})
		end()
		time.Sleep(time.Minute) // the watch is open again, and delayed
		requests := make(chan controller.Request)
		controller.Channel(s.c, requests)
		requests <- controller.Request{Name: "writes"}
		time.Sleep(time.Second)
		require.Equal(t, 1, s.c.State().Held)
		require.Equal(t, []string{"writes"}, s.take())
		requests <- controller.Request{Name: "writes"}
		require.Empty(t, s.take(), "the key is held")
		watch.Remove()
		require.Equal(t, []string{"writes"}, s.take())
		require.Zero(t, s.c.State().Held)
	})
}

// A channel that is closed is removed. The controller continues and can run again, also if
// it was the only source.
func TestClosedChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := []chan controller.Request{make(chan controller.Request), make(chan controller.Request)}
		c := controller.New("channels", controller.Func(doNothing), controller.Options{Logger: quiet})
		controller.Channel(c, requests[0])
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		synctest.Wait()
		before := goroutinesOfBubbles()
		controller.Channel(c, requests[1])
		synctest.Wait()
		require.Equal(t, before+2, goroutinesOfBubbles())
		close(requests[0])
		synctest.Wait()
		require.Equal(t, before, goroutinesOfBubbles())
		close(requests[1])
		synctest.Wait()
		require.Equal(t, before-2, goroutinesOfBubbles())
		require.True(t, c.State().Running)
		stop()
		require.NoError(t, <-ended)
		ctx, stop = context.WithCancel(t.Context())
		go func() { ended <- c.Run(ctx) }()
		synctest.Wait()
		require.True(t, c.State().Running)
		stop()
		require.NoError(t, <-ended)
	})
}

// Watches that are added and removed leave nothing.
func TestSourcesComeAndGo(t *testing.T) {
	withSources(t, controller.Options{}, doNothing, func(s *sourcesFixture) {
		t := s.t
		synctest.Wait()
		round := func() {
			things := s.things(numberedKind(1))
			watch := controller.For(s.c, things)
			synctest.Wait()
			watch.Remove()
			things.Release()
			synctest.Wait()
		}
		numberedKind(1).define(t, s.srv)
		numberedKind(1).create(t, s.srv, "x")
		round()
		before := goroutinesOfBubbles()
		for range 100 {
			round()
		}
		require.Equal(t, before, goroutinesOfBubbles())
		require.Len(t, s.take(), 101)
		require.Empty(t, s.c.Informers())
	})
}

// Before Run, Remove takes back a For. A controller without sources does not run.
func TestRemoveWatchBeforeRun(t *testing.T) {
	s := newFixture(t, 0)
	maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
	c := controller.New("maps", controller.Func(doNothing), controller.Options{})
	watch := controller.For(c, maps)
	watch.Remove()
	require.Empty(t, c.Informers())
	require.ErrorIs(t, c.Run(t.Context()), controller.ErrNothingWatched)
	var none *informer.SharedInformer[*configMap]
	controller.For(c, none).Remove()
	require.ErrorIs(t, c.Run(t.Context()), controller.ErrNoInformer)
}
