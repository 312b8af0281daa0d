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

// A reconcile that has written comes again when the informer has seen it, not
// before, however often its key is asked for, and whatever it was that it wrote.
func TestAKeyWaitsForItsWrites(t *testing.T) {
	patch := func(ctx context.Context, s *setting, name string) error {
		_, err := s.maps.Patch(ctx, name, types.MergePatchType, []byte(`{"data":{"x":"y"}}`), metav1.PatchOptions{})
		return err
	}
	create := func(ctx context.Context, s *setting, name string) error {
		_, err := s.maps.Create(ctx, newMap(name), metav1.CreateOptions{})
		return err
	}
	remove := func(ctx context.Context, s *setting, name string) error {
		return s.maps.Delete(ctx, name, metav1.DeleteOptions{})
	}
	selected := func(o *metav1.ListOptions) { o.LabelSelector = "of=somebody" }
	type writes = func(ctx context.Context, s *setting) error
	for name, c := range map[string]struct {
		options   informer.Options[*configMap]
		elsewhere bool
		writes    writes
		waits     time.Duration
	}{
		"nothing":  {writes: func(context.Context, *setting) error { return nil }},
		"a patch":  {writes: func(ctx context.Context, s *setting) error { return patch(ctx, s, "a") }, waits: late},
		"a create": {writes: func(ctx context.Context, s *setting) error { return create(ctx, s, "b") }, waits: late},
		"a delete": {writes: func(ctx context.Context, s *setting) error { return remove(ctx, s, "a") }, waits: late},
		"what failed afterwards": {writes: func(ctx context.Context, s *setting) error {
			return errors.Join(patch(ctx, s, "a"), errors.New("failed"))
		}, waits: late},
		"a panic afterwards": {writes: func(ctx context.Context, s *setting) error {
			panic(patch(ctx, s, "a"))
		}, waits: late},
		"a delete that is seen before the reconcile ends": {writes: func(ctx context.Context, s *setting) error {
			err := remove(ctx, s, "a")
			time.Sleep(2 * late)
			return err
		}, waits: 2 * late},
		"a goroutine's": {writes: func(ctx context.Context, s *setting) error {
			done := make(chan error)
			go func() { done <- patch(ctx, s, "a") }()
			return <-done
		}, waits: late},
		"created and deleted": {writes: func(ctx context.Context, s *setting) error {
			return errors.Join(create(ctx, s, "b"), remove(ctx, s, "b"))
		}, waits: late},
		"deleted and created": {writes: func(ctx context.Context, s *setting) error {
			return errors.Join(remove(ctx, s, "a"), create(ctx, s, "a"))
		}, waits: late},
		"several": {writes: func(ctx context.Context, s *setting) error {
			return errors.Join(patch(ctx, s, "a"), create(ctx, s, "b"), remove(ctx, s, "a"))
		}, waits: late},
		"without the ctx": {writes: func(_ context.Context, s *setting) error { return patch(context.Background(), s, "a") }},
		"outside the selector, until the next bookmark": {
			options: informer.Options[*configMap]{Tweak: selected},
			writes:  func(ctx context.Context, s *setting) error { return create(ctx, s, "b") }, waits: time.Minute + late,
		},
		"outside the filter": {
			options: informer.Options[*configMap]{Filter: func(o *configMap) bool { return o.Name == "a" }},
			writes:  func(ctx context.Context, s *setting) error { return create(ctx, s, "b") }, waits: late,
		},
		"in another namespace than the informer": {
			elsewhere: true,
			writes:    func(ctx context.Context, s *setting) error { return create(ctx, s, "b") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetting(t, late)
				s.make("a")
				source := s.maps
				if c.elsewhere {
					source = s.maps.Namespace("other")
				}
				maps := informer.For(s.factory, source, c.options)
				ask := make(chan controller.Request)
				var came []time.Time
				ctl := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
					if req.Name != "key" {
						return controller.Result{}, nil
					}
					if came = append(came, time.Now()); len(came) > 1 {
						return controller.Result{}, nil
					}
					return controller.Result{}, c.writes(ctx, s)
				}), controller.Options{})
				controller.For(ctl, maps)
				controller.Channel(ctl, ask)
				stop := s.run(ctl)
				time.Sleep(90 * time.Second) // a little after the bookmarks
				began := time.Now()
				for range 30 {
					ask <- controller.Request{Name: "key"}
					time.Sleep(100 * time.Millisecond)
				}
				time.Sleep(2 * time.Minute)
				require.Zero(t, ctl.State().Held)
				stop()
				require.Greater(t, len(came), 1)
				waited := came[1].Sub(began)
				if c.waits == 0 {
					require.Less(t, waited, time.Second)
				} else {
					require.GreaterOrEqual(t, waited, min(c.waits, 2*late))
					require.LessOrEqual(t, waited, c.waits+time.Second)
				}
			})
		})
	}
}

// An informer that does not get on is named, once, with how far it is; the key
// waits for it all the same, in the next run of the controller too.
func TestAKeyWaitsForAnInformerThatIsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSetting(t, 0)
		s.make("a")
		slow := s.server.Fault(apitest.Fault{On: apitest.Match{Verb: "watch"}, Do: apitest.DelayEvents(time.Hour)})
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{PreferList: true, Silence: 24 * time.Hour, WatchTimeout: 24 * time.Hour})
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
		require.Len(t, stale, 3, "once in each run")
		require.Equal(t, written, stale[0].Written.ResourceVersion)
		require.Equal(t, time.Minute, stale[0].Waited)
		require.ErrorContains(t, stale[0], "controller maps: default/a waits: informer configmaps has not seen configmaps default/a at version "+written)
		slow.Lift()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		require.NoError(t, c.Run(ctx))
		cancel()
		require.Greater(t, runs, 1)
		require.NoError(t, s.factory.Shutdown())
	})
}
