package controller_test

import (
	"context"
	"errors"
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

// A key whose reconcile has written is not reconciled again before the informer has
// observed the write, whatever the kind of write.
func TestKeyWaitsForItsWrites(t *testing.T) {
	patch := func(ctx context.Context, s *fixture, name string) error {
		_, err := s.maps.Patch(ctx, name, types.MergePatchType, []byte(`{"data":{"x":"y"}}`), metav1.PatchOptions{})
		return err
	}
	create := func(ctx context.Context, s *fixture, name string) error {
		_, err := s.maps.Create(ctx, newMap(name), metav1.CreateOptions{})
		return err
	}
	remove := func(ctx context.Context, s *fixture, name string) error {
		return s.maps.Delete(ctx, name, metav1.DeleteOptions{})
	}
	selected := func(o *metav1.ListOptions) { o.LabelSelector = "app=shop" }
	type writes = func(ctx context.Context, s *fixture) error
	for name, c := range map[string]struct {
		options   informer.Options[*configMap]
		elsewhere bool // the informer has another namespace
		writes    writes
		waits     time.Duration
	}{
		"no write": {writes: func(context.Context, *fixture) error { return nil }},
		"patch":    {writes: func(ctx context.Context, s *fixture) error { return patch(ctx, s, "a") }, waits: watchDelay},
		"create":   {writes: func(ctx context.Context, s *fixture) error { return create(ctx, s, "b") }, waits: watchDelay},
		"delete":   {writes: func(ctx context.Context, s *fixture) error { return remove(ctx, s, "a") }, waits: watchDelay},
		"write and then an error": {writes: func(ctx context.Context, s *fixture) error {
			return errors.Join(patch(ctx, s, "a"), errors.New("failed"))
		}, waits: watchDelay},
		"write and then a panic": {writes: func(ctx context.Context, s *fixture) error {
			panic(patch(ctx, s, "a"))
		}, waits: watchDelay},
		"delete that is observed before the reconcile ends": {writes: func(ctx context.Context, s *fixture) error {
			err := remove(ctx, s, "a")
			time.Sleep(2 * watchDelay)
			return err
		}, waits: 2 * watchDelay},
		"write of a goroutine": {writes: func(ctx context.Context, s *fixture) error {
			done := make(chan error)
			go func() { done <- patch(ctx, s, "a") }()
			return <-done
		}, waits: watchDelay},
		"create and delete": {writes: func(ctx context.Context, s *fixture) error {
			return errors.Join(create(ctx, s, "b"), remove(ctx, s, "b"))
		}, waits: watchDelay},
		"delete and create": {writes: func(ctx context.Context, s *fixture) error {
			return errors.Join(remove(ctx, s, "a"), create(ctx, s, "a"))
		}, waits: watchDelay},
		"several writes": {writes: func(ctx context.Context, s *fixture) error {
			return errors.Join(patch(ctx, s, "a"), create(ctx, s, "b"), remove(ctx, s, "a"))
		}, waits: watchDelay},
		"write with another context": {writes: func(_ context.Context, s *fixture) error { return patch(context.Background(), s, "a") }},
		"excluded by the selector": {
			options: informer.Options[*configMap]{TweakListOptions: selected},
			writes:  func(ctx context.Context, s *fixture) error { return create(ctx, s, "b") },
		},
		"excluded by the filter": {
			options: informer.Options[*configMap]{Filter: func(o *configMap) bool { return o.Name == "a" }},
			writes:  func(ctx context.Context, s *fixture) error { return create(ctx, s, "b") }, waits: watchDelay,
		},
		"in another namespace": {
			elsewhere: true,
			writes:    func(ctx context.Context, s *fixture) error { return create(ctx, s, "b") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFixture(t, watchDelay)
				s.create("a")
				source := s.maps
				if c.elsewhere {
					source = s.maps.Namespace("other")
				}
				maps := informer.For(s.factory, source, c.options)
				requests := make(chan controller.Request)
				var starts []time.Time
				ctl := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
					if req.Name != "key" {
						return controller.Result{}, nil
					}
					if starts = append(starts, time.Now()); len(starts) > 1 {
						return controller.Result{}, nil
					}
					return controller.Result{}, c.writes(ctx, s)
				}), controller.Options{})
				controller.For(ctl, maps)
				controller.Channel(ctl, requests)
				stop := s.run(ctl)
				time.Sleep(90 * time.Second) // not at the time of a bookmark
				began := time.Now()
				for range 30 {
					requests <- controller.Request{Name: "key"}
					time.Sleep(100 * time.Millisecond)
				}
				time.Sleep(2 * time.Minute)
				require.Zero(t, ctl.State().Held)
				stop()
				require.Greater(t, len(starts), 1)
				waited := starts[1].Sub(began)
				if c.waits == 0 {
					require.Less(t, waited, time.Second)
				} else {
					require.GreaterOrEqual(t, waited, min(c.waits, 2*watchDelay))
					require.LessOrEqual(t, waited, c.waits+time.Second)
				}
			})
		})
	}
}

// An informer that makes no progress is reported once in each run, with its version. The
// key continues to wait, also in the next run of the controller.
func TestKeyWaitsForAnInformerWithoutProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		s.create("a")
		slow := s.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.DelayEvents(time.Hour)})
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{PreferList: true, IdleTimeout: 24 * time.Hour, WatchTimeout: 24 * time.Hour})
		var stale []*controller.StaleError
		written := ""
		runs := 0
		c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			if runs++; runs > 1 {
				obj, _ := maps.Get(req.String())
				require.Equal(t, written, obj.ResourceVersion)
				return controller.Result{}, nil
			}
			obj, err := s.maps.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"x":"y"}}`), metav1.PatchOptions{})
			require.NoError(t, err)
			written = obj.ResourceVersion
			return controller.Result{RequeueAfter: time.Second}, nil
		}), controller.Options{WriteTimeout: time.Minute, Trace: &controller.Trace{
			Stale: func(_ controller.TraceInfo, err *controller.StaleError) { stale = append(stale, err) },
		}})
		controller.For(c, maps)
		require.NoError(t, s.factory.Start(t.Context()))
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			ended := make(chan error)
			go func() { ended <- c.Run(ctx) }()
			time.Sleep(59 * time.Second)
			require.Equal(t, 1, c.State().Held)
			require.Empty(t, c.State().Stale)
			time.Sleep(2 * time.Second)
			synctest.Wait()
			require.Equal(t, stale[len(stale)-1:], c.State().Stale)
			require.NoError(t, <-ended)
			cancel()
			require.Equal(t, 1, runs)
		}
		require.Len(t, stale, 3, "one report in each run")
		require.Equal(t, written, stale[0].Write.ResourceVersion)
		require.Equal(t, time.Minute, stale[0].Waited)
		require.ErrorContains(t, stale[0], "controller maps: default/a waits: informer configmaps -n default has not seen configmaps default/a at version "+written)
		slow.Remove()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		require.NoError(t, c.Run(ctx))
		cancel()
		require.Greater(t, runs, 1)
		require.NoError(t, s.factory.Shutdown())
	})
}
