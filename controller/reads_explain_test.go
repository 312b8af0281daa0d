package controller_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
)

// causeLog has the causes of the keys that were enqueued.
type causeLog struct {
	mu  sync.Mutex
	all []string
}

func (l *causeLog) queued(info controller.TraceInfo, reason controller.Reason) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, fmt.Sprintf("%s %s: %s", reason, info.Request.Name, info.Cause))
}

// take returns and removes the causes.
func (l *causeLog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.all
	l.all = nil
	return taken
}

// A Trace has the change that has enqueued a key, for each kind of source.
func TestTraceHasTheCause(t *testing.T) {
	log := &causeLog{}
	take := log.take
	trace := &controller.Trace{Queued: log.queued}
	runReads(t, 0, controller.Options{Trace: trace}, func(s *readsFixture, ctx context.Context) error {
		return drain(controller.Find(ctx, s.byColor, "red"))
	}, func(s *readsFixture) {
		s.send()
		require.Equal(t, []string{"changed reader: "}, take(), "a channel")
		s.add("a", "red")
		s.set("a", "blue")
		s.set("a", "red")
		s.remove("a")
		const change = "changed reader: configmaps -n default default/a "
		require.Equal(t, []string{change + "created", change + "updated", change + "updated", change + "deleted"}, take(), "a tracked read")
		require.Equal(t, "configmaps -n default default/a deleted", s.c.Explain(controller.Request{Name: "reader"}).Cause)

		s.add("b", "green")
		w := controller.For(s.c, s.inf)
		s.settle()
		s.set("b", "black")
		require.Equal(t, []string{"initial b: configmaps -n default default/b", "changed b: configmaps -n default default/b updated"}, take(), "a handler")
		controller.NotOwnWrites(w)
		s.settle()
		s.set("b", "white")
		require.Equal(t, []string{"changed b: configmaps -n default default/b updated"}, take(), "NotOwnWrites")
	})
}

// A key that was changed while it was reconciled has the cause too.
func TestTraceHasTheCauseOfAChangeDuringAReconcile(t *testing.T) {
	log := &causeLog{}
	trace := &controller.Trace{Queued: log.queued}
	runReads(t, 0, controller.Options{Trace: trace}, func(s *readsFixture, ctx context.Context) error {
		_, ok, err := controller.Get(ctx, s.inf, "default/a")
		if !ok {
			s.add("a", "red")
		}
		return err
	}, func(s *readsFixture) {
		s.requests <- controller.Request{Name: "reader"}
		time.Sleep(time.Minute)
		require.Equal(t, []string{"changed reader: ", "changed reader: configmaps -n default default/a created"}, log.take())
	})
}

// State lists the first of many requests with tracked reads, in their order. Explain keeps
// the last state between two runs.
func TestTrackedRequestsAreSorted(t *testing.T) {
	runReads(t, 0, controller.Options{}, func(s *readsFixture, ctx context.Context) error {
		_, _, err := controller.Get(ctx, s.inf, "default/a")
		return err
	}, func(s *readsFixture) {
		for i := range 250 {
			s.requests <- controller.Request{Name: fmt.Sprintf("r%03d", (i*7)%250)}
		}
		s.settle()
		state := s.c.State()
		require.Equal(t, 250, state.TrackedCount)
		require.Len(t, state.Tracked, 100)
		for i, e := range state.Tracked {
			require.Equal(t, fmt.Sprintf("r%03d", i), e.Request.Name)
		}
		before := s.c.Explain(controller.Request{Name: "r007"})
		require.Equal(t, []string{"configmaps -n default default/a"}, before.Dependencies)
		s.stop()
		require.Equal(t, before, s.c.Explain(controller.Request{Name: "r007"}))
		s.stop = func() {}
	})
}

// hostedSource has a Host that calls a function.
type hostedSource struct {
	informer.Source[*configMap]
	called func()
}

func (s *hostedSource) Host() string {
	s.called()
	return ""
}

// Functions of a source may use the controller: no lock is held.
func TestHostMayUseTheController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &readsFixture{fixture: newFixture(t, 0), log: &reconcileLog{}}
		s.create("a")
		called := 0
		source := &hostedSource{s.maps, func() {
			if s.c != nil {
				called++
				s.c.Explain(controller.Request{Namespace: "default", Name: "a"})
			}
		}}
		maps := informer.For(s.factory, source, informer.Options[*configMap]{})
		s.c = controller.New("own", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			_, _, err := controller.Get(ctx, maps, req.String())
			return controller.Result{}, errors.Join(err, s.patch(ctx, "a", "red"))
		}), controller.Options{})
		controller.NotOwnWrites(controller.For(s.c, maps))
		s.stop = s.run(s.c)
		s.settle()
		require.Positive(t, called)
		s.stop()
	})
}
