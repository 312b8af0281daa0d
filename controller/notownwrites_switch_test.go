package controller_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
)

// runLate calls test with a controller that sets the color of objects to red, unless it
// is none.
func runLate(t *testing.T, test func(s *readsFixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &readsFixture{fixture: newFixture(t, 0), requests: make(chan controller.Request), log: &reconcileLog{}}
		s.inf = informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		s.c = controller.New("late", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			s.log.add(req)
			if m, _ := s.inf.Get(req.String()); m == nil || m.Data["color"] == "none" {
				return controller.Result{}, nil
			}
			m, ok, err := controller.Get(ctx, s.inf, req.String())
			if !ok || err != nil || m.Data["color"] == "red" {
				return controller.Result{}, err
			}
			return controller.Result{}, s.patch(ctx, req.Name, "red")
		}), controller.Options{})
		controller.Channel(s.c, s.requests)
		test(s)
	})
}

// NotOwnWrites can be called during Run, for a For that was just added and for one that
// has reconciled objects. It does not end the run, and Remove ends it.
func TestNotOwnWritesDuringRun(t *testing.T) {
	for name, wait := range map[string]time.Duration{"at once": 0, "later": time.Minute} {
		t.Run(name, func(t *testing.T) {
			runLate(t, func(s *readsFixture) {
				s.stop = s.run(s.c)
				s.settle()
				w := controller.For(s.c, s.inf)
				time.Sleep(wait)
				require.Same(t, w, controller.NotOwnWrites(w))
				s.settle()
				s.add("a", "blue")
				assert.Equal(t, 1, s.reconciles(), "the own write is ignored")
				s.set("a", "green")
				assert.Equal(t, 1, s.reconciles(), "the update of another client")
				s.remove("a")
				assert.Equal(t, 1, s.reconciles(), "the deletion")
				w.Remove()
				s.settle()
				s.add("b", "blue")
				assert.Zero(t, s.reconciles(), "after Remove")
				s.stop()
			})
		})
	}
}

// Changes that the handler has not received when NotOwnWrites is called are reconciled.
func TestNotOwnWritesOfALateHandler(t *testing.T) {
	runLate(t, func(s *readsFixture) {
		var late atomic.Bool
		release := make(chan struct{})
		w := controller.For(s.c, s.inf).FilterDeletes(func(*configMap) bool {
			if late.CompareAndSwap(true, false) {
				<-release
			}
			return true
		})
		for _, name := range []string{"a", "b"} {
			apitest.Create(t, s.server, colored(name, "none"))
		}
		s.stop = s.run(s.c)
		s.settle()
		s.reconciles()
		late.Store(true)
		s.remove("a")
		s.remove("b")
		controller.NotOwnWrites(w)
		s.settle()
		s.add("c", "none")
		assert.Equal(t, []string{"c"}, s.log.take(), "the handler is blocked")
		close(release)
		s.settle()
		assert.Subset(t, s.log.take(), []string{"a", "b"})
		s.add("d", "blue")
		assert.Equal(t, []string{"d"}, s.log.take(), "the handler has caught up")
		s.stop()
	})
}
