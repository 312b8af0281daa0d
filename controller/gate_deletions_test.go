package controller_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
)

// What a reconcile has deleted its next one does not find: also if the informer
// has not even seen yet that it was there.
func TestWhatWasDeletedIsNotFoundAgain(t *testing.T) {
	type step = func(ctx context.Context, s *setting) error
	create := func(ctx context.Context, s *setting) error {
		_, err := s.maps.Create(ctx, newMap("b"), metav1.CreateOptions{})
		return err
	}
	createKept := func(ctx context.Context, s *setting) error {
		kept := newMap("b")
		kept.Finalizers = []string{"example.com/kept"}
		_, err := s.maps.Create(ctx, kept, metav1.CreateOptions{})
		return err
	}
	remove := func(ctx context.Context, s *setting) error {
		return s.maps.Delete(ctx, "b", metav1.DeleteOptions{})
	}
	release := func(ctx context.Context, s *setting) error {
		_, err := s.maps.Patch(ctx, "b", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		return err
	}
	for name, c := range map[string]struct {
		there   bool // it is, before the controller begins
		options informer.Options[*configMap]
		steps   []step // a second between them
		waits   time.Duration
	}{
		"there, and deleted":               {there: true, steps: []step{remove}, waits: late},
		"created and deleted":              {steps: []step{create, remove}, waits: late + time.Second},
		"deleted, created and deleted":     {there: true, steps: []step{remove, create, remove}, waits: late + 2*time.Second},
		"created, marked and let go":       {steps: []step{createKept, remove, release}, waits: late + 2*time.Second},
		"created, deleted and never shown": {options: informer.Options[*configMap]{Filter: func(o *configMap) bool { return o.Name != "b" }}, steps: []step{create, remove}, waits: late},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSetting(t, late)
				if c.there {
					s.make("b")
				}
				maps := informer.For(s.factory, s.maps, c.options)
				ask := make(chan controller.Request)
				var came []time.Time
				ctl := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
					if req.Name != "key" {
						return controller.Result{}, nil
					}
					if came = append(came, time.Now()); len(came) == 1 {
						for _, step := range c.steps {
							require.NoError(t, step(ctx, s))
							time.Sleep(time.Second)
						}
						return controller.Result{}, nil
					}
					_, found := maps.Get("default/b")
					require.False(t, found, "it was deleted")
					return controller.Result{}, nil
				}), controller.Options{})
				controller.For(ctl, maps)
				controller.Channel(ctl, ask)
				stop := s.run(ctl)
				time.Sleep(10 * time.Second)
				for range 100 {
					ask <- controller.Request{Name: "key"}
					time.Sleep(100 * time.Millisecond)
				}
				require.Zero(t, ctl.State().Held)
				stop()
				require.Greater(t, len(came), 1)
				require.GreaterOrEqual(t, came[1].Sub(came[0]), c.waits)
				require.Less(t, came[1].Sub(came[0]), c.waits+time.Second)
			})
		})
	}
}
