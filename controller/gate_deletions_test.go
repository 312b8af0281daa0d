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

// A reconcile does not read an object that the last reconcile of its key has deleted,
// even if the informer had not received the object before.
func TestDeletedObjectsAreNotReadAgain(t *testing.T) {
	type step = func(ctx context.Context, s *fixture) error
	create := func(ctx context.Context, s *fixture) error {
		_, err := s.maps.Create(ctx, newMap("b"), metav1.CreateOptions{})
		return err
	}
	createKept := func(ctx context.Context, s *fixture) error {
		kept := newMap("b")
		kept.Finalizers = []string{"example.com/kept"}
		_, err := s.maps.Create(ctx, kept, metav1.CreateOptions{})
		return err
	}
	remove := func(ctx context.Context, s *fixture) error {
		return s.maps.Delete(ctx, "b", metav1.DeleteOptions{})
	}
	release := func(ctx context.Context, s *fixture) error {
		_, err := s.maps.Patch(ctx, "b", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		return err
	}
	for name, c := range map[string]struct {
		exists  bool // the object exists when the controller starts
		options informer.Options[*configMap]
		steps   []step        // with a second between them
		waits   time.Duration // the delay of the next reconcile
	}{
		"deleted":                                     {exists: true, steps: []step{remove}, waits: watchDelay},
		"created and deleted":                         {steps: []step{create, remove}, waits: watchDelay + time.Second},
		"deleted, created and deleted":                {exists: true, steps: []step{remove, create, remove}, waits: watchDelay + 2*time.Second},
		"created and deleted with a finalizer":        {steps: []step{createKept, remove, release}, waits: watchDelay + 2*time.Second},
		"created and deleted, excluded by the filter": {options: informer.Options[*configMap]{Filter: func(o *configMap) bool { return o.Name != "b" }}, steps: []step{create, remove}, waits: watchDelay},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFixture(t, watchDelay)
				if c.exists {
					s.create("b")
				}
				maps := informer.For(s.factory, s.maps, c.options)
				requests := make(chan controller.Request)
				var starts []time.Time
				ctl := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
					if req.Name != "key" {
						return controller.Result{}, nil
					}
					if starts = append(starts, time.Now()); len(starts) == 1 {
						for _, step := range c.steps {
							require.NoError(t, step(ctx, s))
							time.Sleep(time.Second)
						}
						return controller.Result{}, nil
					}
					_, found := maps.Get("default/b")
					require.False(t, found, "the deleted object is found")
					return controller.Result{}, nil
				}), controller.Options{})
				controller.For(ctl, maps)
				controller.Channel(ctl, requests)
				stop := s.run(ctl)
				time.Sleep(10 * time.Second)
				for range 100 {
					requests <- controller.Request{Name: "key"}
					time.Sleep(100 * time.Millisecond)
				}
				require.Zero(t, ctl.State().Held)
				stop()
				require.Greater(t, len(starts), 1)
				require.GreaterOrEqual(t, starts[1].Sub(starts[0]), c.waits)
				require.Less(t, starts[1].Sub(starts[0]), c.waits+time.Second)
			})
		})
	}
}
