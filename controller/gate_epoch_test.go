package controller_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
)

// withoutIdleTimeout has the options of an informer that keeps a silent watch open.
var withoutIdleTimeout = informer.Options[*configMap]{PreferList: true, IdleTimeout: 24 * time.Hour, WatchTimeout: 24 * time.Hour}

func (f *fixture) touch(ctx context.Context, name string) string {
	obj, err := f.maps.Patch(ctx, name, types.MergePatchType, []byte(`{"data":{"x":"y"}}`), metav1.PatchOptions{})
	require.NoError(f.t, err)
	return obj.ResourceVersion
}

// A restored server may have lost a write. The key does not wait for it forever.
func TestNewEpochReleasesTheKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			s.create(name)
		}
		s.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.DelayEvents(time.Hour)})
		maps := informer.For(s.factory, s.maps, withoutIdleTimeout)
		var runs atomic.Int32
		c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			if req.Name != "a" {
				return controller.Result{}, nil
			}
			if runs.Add(1) == 1 {
				s.touch(ctx, "a")
			}
			return controller.Result{RequeueAfter: time.Second}, nil
		}), controller.Options{WriteTimeout: time.Hour})
		controller.For(c, maps)
		stop := s.run(c)
		time.Sleep(time.Minute)
		require.EqualValues(t, 1, runs.Load())
		require.Equal(t, 1, c.State().Held)
		s.server.RemoveFaults()
		back := s.server.BeginOutage(apitest.Outage{Kind: apitest.OutageRefused})
		s.server.RestartFromBackup(4)
		time.Sleep(2 * time.Second) // the server is down during the restore
		back()
		time.Sleep(3 * time.Minute)
		require.Equal(t, 1, maps.State().Epoch)
		require.Zero(t, c.State().Held)
		require.Greater(t, runs.Load(), int32(1))
		stop()
	})
}

// A stopped informer does not observe the write. The controller ends with an error and
// does not reconcile the key with the old state, however long the stop takes.
func TestStoppedInformerReleasesNoKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		s.create("a")
		s.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.DelayEvents(time.Hour)})
		maps := informer.New(s.maps, withoutIdleTimeout)
		ctx, stop := context.WithCancel(t.Context())
		informerEnded, ended := make(chan error), make(chan error)
		go func() { informerEnded <- maps.Run(ctx) }()
		requests := make(chan controller.Request, 1)
		runs := 0
		c := controller.New("maps", controller.Func(func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			runs++
			s.touch(ctx, "a")
			return controller.Result{RequeueAfter: time.Second}, nil
		}), controller.Options{})
		controller.Watches(c, maps, func(*configMap) []controller.Request {
			time.Sleep(10 * time.Minute)
			return nil
		})
		controller.Channel(c, requests)
		go func() { ended <- c.Run(t.Context()) }()
		requests <- controller.Request{Name: "key"}
		time.Sleep(time.Minute)
		require.Equal(t, 1, c.State().Held)
		stop()
		require.ErrorIs(t, <-ended, informer.ErrStopped)
		require.NoError(t, <-informerEnded)
		require.Equal(t, 1, runs)
	})
}

// If a controller has several informers of one resource, a key waits for all of them,
// since a reconcile may read any.
func TestKeyWaitsForEachInformerOfAResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, watchDelay)
		apitest.Create(t, s.server, withLabels("a", "app", "shop"))
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		selected := informer.For(s.factory, s.maps, informer.Options[*configMap]{TweakListOptions: func(o *metav1.ListOptions) { o.LabelSelector = "app=shop" }})
		written, runs := "", 0
		c := controller.New("maps", controller.Func(func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			if runs++; runs == 1 {
				written = s.touch(ctx, "a")
				return controller.Result{RequeueAfter: time.Second}, nil
			}
			for _, inf := range []*informer.SharedInformer[*configMap]{maps, selected} {
				require.GreaterOrEqual(t, versionOf(inf.Version()), versionOf(written))
			}
			return controller.Result{}, nil
		}), controller.Options{})
		controller.For(c, maps)
		controller.Watches(c, selected, func(*configMap) []controller.Request { return nil })
		stop := s.run(c)
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		require.Greater(t, runs, 1)
		stop()
	})
}
