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

// patient is of informers that hear nothing for as long as their watch is late.
var patient = informer.Options[*configMap]{PreferList: true, Silence: 24 * time.Hour, WatchTimeout: 24 * time.Hour}

func (s *setting) touch(ctx context.Context, name string) string {
	obj, err := s.maps.Patch(ctx, name, types.MergePatchType, []byte(`{"data":{"x":"y"}}`), metav1.PatchOptions{})
	require.NoError(s.t, err)
	return obj.ResourceVersion
}

// A server that was set back to a backup may have lost what was written: its key
// does not wait for that for ever.
func TestAKeyDoesNotWaitForAnotherEpoch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetting(t, 0)
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			s.make(name)
		}
		s.server.Fault(apitest.Fault{On: apitest.Match{Verb: "watch"}, Do: apitest.DelayEvents(time.Hour)})
		maps := informer.For(s.factory, s.maps, patient)
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
		s.server.LiftFaults()
		s.server.RestartBack(4)
		time.Sleep(3 * time.Minute)
		require.Equal(t, 1, maps.State().Epoch)
		require.Zero(t, c.State().Held)
		require.Greater(t, runs.Load(), int32(1))
		stop()
	})
}

// An informer that has stopped will not see what was written: the controller ends
// with an error, and reconciles nothing on what that informer knew, however long
// its end takes.
func TestAStoppedInformerLetsNoKeyGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetting(t, 0)
		s.make("a")
		s.server.Fault(apitest.Fault{On: apitest.Match{Verb: "watch"}, Do: apitest.DelayEvents(time.Hour)})
		maps := informer.New(s.maps, patient)
		ctx, stop := context.WithCancel(t.Context())
		informed, ended := make(chan error), make(chan error)
		go func() { informed <- maps.Run(ctx) }()
		ask := make(chan controller.Request, 1)
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
		controller.Channel(c, ask)
		go func() { ended <- c.Run(t.Context()) }()
		ask <- controller.Request{Name: "key"}
		time.Sleep(time.Minute)
		require.Equal(t, 1, c.State().Held)
		stop()
		require.ErrorIs(t, <-ended, informer.ErrStopped)
		require.NoError(t, <-informed)
		require.Equal(t, 1, runs)
	})
}

// Of several informers of one resource each is to see what was written: a
// reconcile may read any.
func TestEachInformerOfAResourceIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetting(t, late)
		s.make("a")
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		some := informer.For(s.factory, s.maps, informer.Options[*configMap]{Tweak: func(o *metav1.ListOptions) { o.LabelSelector = "of=somebody" }})
		written, runs := "", 0
		c := controller.New("maps", controller.Func(func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			if runs++; runs == 1 {
				written = s.touch(ctx, "a")
				return controller.Result{RequeueAfter: time.Second}, nil
			}
			for _, inf := range []*informer.SharedInformer[*configMap]{maps, some} {
				require.GreaterOrEqual(t, versionOf(inf.Version()), versionOf(written))
			}
			return controller.Result{}, nil
		}), controller.Options{})
		controller.For(c, maps)
		controller.Watches(c, some, func(*configMap) []controller.Request { return nil })
		stop := s.run(c)
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		require.Greater(t, runs, 1)
		stop()
	})
}
