package controller_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
)

// readsFixture is a controller without a For: requests come from a channel, and
// everything else that is reconciled was enqueued by a tracked read.
type readsFixture struct {
	*fixture
	inf      *informer.SharedInformer[*configMap]
	byColor  *indexer.Index[*configMap]
	c        *controller.Controller
	requests chan controller.Request
	log      *reconcileLog
	// reconcile is called for the request "reader".
	reconcile func(ctx context.Context) error
	stop      func()
}

// runReads runs test in a bubble.
func runReads(t *testing.T, delay time.Duration, o controller.Options, reconcile func(s *readsFixture, ctx context.Context) error, test func(s *readsFixture), predicates ...controller.Predicate[*configMap]) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &readsFixture{fixture: newFixture(t, delay), requests: make(chan controller.Request), log: &reconcileLog{}}
		options := informer.Options[*configMap]{}
		if delay >= time.Hour {
			options = informer.Options[*configMap]{PreferList: true, IdleTimeout: 24 * time.Hour, WatchTimeout: 24 * time.Hour}
		}
		s.inf = informer.For(s.factory, s.maps, options)
		s.byColor, _ = s.inf.AddIndex("color", func(m *configMap) []string { return strings.Fields(m.Data["color"]) })
		s.reconcile = func(ctx context.Context) error { return reconcile(s, ctx) }
		s.c = controller.New("reads", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			s.log.add(req)
			return controller.Result{}, s.reconcile(ctx)
		}), o)
		controller.Reads(s.c, s.inf, predicates...)
		controller.Channel(s.c, s.requests)
		s.stop = s.run(s.c)
		time.Sleep(time.Second)
		test(s)
		s.stop()
	})
}

func (s *readsFixture) send() {
	s.requests <- controller.Request{Name: "reader"}
	s.settle()
}

// settle waits until everything has been reconciled.
func (s *readsFixture) settle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

// reconciles returns the number of reconciles since the last call.
func (s *readsFixture) reconciles() int { return len(s.log.take()) }

func (s *readsFixture) set(name, color string) {
	apitest.Update(s.t, s.server, colored(name, color))
	s.settle()
}

func (s *readsFixture) add(name, color string) {
	apitest.Create(s.t, s.server, colored(name, color))
	s.settle()
}

func (s *readsFixture) remove(name string) {
	apitest.Delete(s.t, s.server, newMap(name))
	s.settle()
}

func colored(name, color string) *configMap {
	m := newMap(name)
	m.Data = map[string]string{"color": color}
	return m
}

func drain[T any](all iter.Seq[T], err error) error {
	if err == nil {
		for range all {
		}
	}
	return err
}

// Each kind of read enqueues the request for the changes of what it has read, and for no
// others: a key and its absence, an index value, a namespace, everything.
func TestChangesOfWhatWasRead(t *testing.T) {
	reads := map[string]func(s *readsFixture, ctx context.Context) error{
		"a key": func(s *readsFixture, ctx context.Context) error {
			_, _, err := controller.Get(ctx, s.inf, "default/a")
			return err
		},
		"an index value": func(s *readsFixture, ctx context.Context) error { return drain(controller.Find(ctx, s.byColor, "red")) },
		"everything":     func(s *readsFixture, ctx context.Context) error { return drain(controller.All(ctx, s.inf)) },
		"a lister's key": func(s *readsFixture, ctx context.Context) error {
			lister, err := controller.Lister(ctx, s.inf)
			if err == nil {
				_, _ = lister.Namespace("default").Get("a")
			}
			return err
		},
		"a namespace": func(s *readsFixture, ctx context.Context) error {
			lister, err := controller.Lister(ctx, s.inf)
			return drain(lister.Namespace("default").List(labels.Everything()), err)
		},
		"another namespace": func(s *readsFixture, ctx context.Context) error {
			lister, err := controller.Lister(ctx, s.inf)
			return drain(lister.Namespace("other").List(labels.Everything()), err)
		},
		"a lister's everything": func(s *readsFixture, ctx context.Context) error {
			lister, err := controller.Lister(ctx, s.inf)
			return drain(lister.List(nil), err)
		},
	}
	// The changes: create a red; create b blue; a becomes red and green; a becomes blue;
	// b becomes red; delete b; delete a.
	for name, expected := range map[string][]int{
		"a key":                 {1, 0, 1, 1, 0, 0, 1},
		"an index value":        {1, 0, 1, 1, 1, 1, 0},
		"everything":            {1, 1, 1, 1, 1, 1, 1},
		"a lister's key":        {1, 0, 1, 1, 0, 0, 1},
		"a namespace":           {1, 1, 1, 1, 1, 1, 1},
		"another namespace":     {0, 0, 0, 0, 0, 0, 0},
		"a lister's everything": {1, 1, 1, 1, 1, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			runReads(t, 0, controller.Options{}, reads[name], func(s *readsFixture) {
				s.send()
				require.Equal(t, 1, s.reconciles())
				var got []int
				for _, change := range []func(){
					func() { s.add("a", "red") }, func() { s.add("b", "blue") }, func() { s.set("a", "red green") },
					func() { s.set("a", "blue") }, func() { s.set("b", "red") }, func() { s.remove("b") }, func() { s.remove("a") },
				} {
					change()
					got = append(got, s.reconciles())
				}
				require.Equal(t, expected, got)
			})
		})
	}
}

// Predicates narrow tracked reads, but not an object that appears, disappears, or leaves or
// joins an index value.
func TestPredicatesOfReads(t *testing.T) {
	never := func(_, _ *configMap) bool { return false }
	runReads(t, 0, controller.Options{}, func(s *readsFixture, ctx context.Context) error {
		_, _, err := controller.Get(ctx, s.inf, "default/a")
		return errors.Join(err, drain(controller.Find(ctx, s.byColor, "red")))
	}, func(s *readsFixture) {
		s.send()
		s.reconciles()
		s.add("a", "blue")
		require.Equal(t, 1, s.reconciles(), "it appears")
		s.set("a", "blue green")
		require.Zero(t, s.reconciles(), "it is updated")
		s.set("a", "red")
		require.Equal(t, 1, s.reconciles(), "it joins")
		s.set("a", "red green")
		require.Zero(t, s.reconciles(), "it stays")
		s.set("a", "blue")
		require.Equal(t, 1, s.reconciles(), "it leaves")
		s.remove("a")
		require.Equal(t, 1, s.reconciles(), "it disappears")
	}, never)
}

// After a success the reads of the reconcile replace the previous ones. After an error, a
// TerminalError, a panic and runtime.Goexit they are added.
func TestReadsAfterEachOutcome(t *testing.T) {
	for name, fail := range map[string]func() error{
		"success":        func() error { return nil },
		"error":          func() error { return errors.New("failed") },
		"terminal error": func() error { return controller.TerminalError(errors.New("failed")) },
		"panic":          func() error { panic("failed") },
		"goexit":         func() error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			key, outcome := "default/a", func() error { return nil }
			o := controller.Options{Backoff: controller.Backoff{Base: 24 * time.Hour, Max: 24 * time.Hour}}
			runReads(t, 0, o, func(s *readsFixture, ctx context.Context) error {
				_, _, err := controller.Get(ctx, s.inf, key)
				return errors.Join(err, outcome())
			}, func(s *readsFixture) {
				s.send()
				key, outcome = "default/b", fail
				s.send()
				require.Equal(t, 2, s.reconciles())
				key, outcome = "default/c", func() error { return nil }
				if name == "success" {
					require.Equal(t, []string{"configmaps -n default default/b"}, s.c.Explain(controller.Request{Name: "reader"}).Dependencies)
					s.add("a", "")
					require.Zero(t, s.reconciles())
					return
				}
				require.Equal(t, []string{"configmaps -n default default/a", "configmaps -n default default/b"}, s.c.Explain(controller.Request{Name: "reader"}).Dependencies)
				s.add("a", "")
				require.Equal(t, 1, s.reconciles())
				s.add("b", "")
				require.Zero(t, s.reconciles(), "the reads of the success have replaced all others")
			})
		})
	}
}

// A reconcile that reads nothing drops what the request depends on.
func TestReconcileThatReadsNothing(t *testing.T) {
	reads := true
	runReads(t, 0, controller.Options{}, func(s *readsFixture, ctx context.Context) error {
		if !reads {
			return nil
		}
		_, _, err := controller.Get(ctx, s.inf, "default/a")
		return err
	}, func(s *readsFixture) {
		s.send()
		reads = false
		s.send()
		require.Equal(t, 2, s.reconciles())
		require.Zero(t, s.c.State().TrackedCount)
		s.add("a", "")
		require.Zero(t, s.reconciles())
	})
}

// A change while the request is in work counts if the reconcile has read the state before
// it, and not if it has read the state after it.
func TestChangeDuringAReconcile(t *testing.T) {
	var before, between func()
	runReads(t, 0, controller.Options{}, func(s *readsFixture, ctx context.Context) error {
		before()
		_, _, err := controller.Get(ctx, s.inf, "default/a")
		between()
		return err
	}, func(s *readsFixture) {
		nothing := func() {}
		before, between = nothing, nothing
		s.send()
		require.Equal(t, 1, s.reconciles())
		before = func() {
			before = nothing
			apitest.Create(t, s.server, colored("a", "red"))
			time.Sleep(100 * time.Millisecond)
		}
		s.send()
		require.Equal(t, 1, s.reconciles(), "the change was read")
		between = func() {
			between = nothing
			apitest.Update(t, s.server, colored("a", "blue"))
			time.Sleep(100 * time.Millisecond)
		}
		s.send()
		require.Equal(t, 2, s.reconciles(), "the change was not read")
	})
}

// A read returns when the informer has observed what the reconcile has written, of each
// kind of write.
func TestReadsAreFresh(t *testing.T) {
	runReads(t, watchDelay, controller.Options{}, func(s *readsFixture, ctx context.Context) error {
		read := func(key string) (string, bool) {
			m, ok, err := controller.Get(ctx, s.inf, key)
			require.NoError(s.t, err)
			if !ok {
				return "", false
			}
			return m.Data["color"], true
		}
		_, err := s.maps.Create(ctx, colored("a", "red"), metav1.CreateOptions{})
		require.NoError(s.t, err)
		color, ok := read("default/a")
		require.True(s.t, ok)
		require.Equal(s.t, "red", color)
		_, err = s.maps.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"color":"blue"}}`), metav1.PatchOptions{})
		require.NoError(s.t, err)
		found, err := controller.Find(ctx, s.byColor, "blue")
		require.NoError(s.t, err)
		require.Len(s.t, slices.Collect(found), 1)
		require.NoError(s.t, s.maps.Delete(ctx, "a", metav1.DeleteOptions{}))
		all, err := controller.All(ctx, s.inf)
		require.NoError(s.t, err)
		require.Empty(s.t, slices.Collect(all))
		_, err = s.maps.Create(ctx, colored("b", "red"), metav1.CreateOptions{})
		require.NoError(s.t, err)
		lister, err := controller.Lister(ctx, s.inf)
		require.NoError(s.t, err)
		_, err = lister.Namespace("default").Get("b")
		require.NoError(s.t, err)
		began := time.Now()
		_, _ = read("default/a")
		require.Zero(s.t, time.Since(began), "nothing is missing")
		s.reconcile = func(context.Context) error { return nil }
		return nil
	}, func(s *readsFixture) {
		s.send()
		time.Sleep(time.Minute)
		require.NotZero(t, s.reconciles())
		require.Zero(t, s.c.State().Errors)
	})
}

// A read of an informer that does not observe a write returns an error after ten seconds
// that says what is missing, or the error of its ctx.
func TestReadOfALateInformer(t *testing.T) {
	var errs []error
	var waited []time.Duration
	runReads(t, time.Hour, controller.Options{}, func(s *readsFixture, ctx context.Context) error {
		s.reconcile = func(context.Context) error { return nil }
		_, err := s.maps.Create(ctx, newMap("a"), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		began := time.Now()
		errs, waited = append(errs, errOf(controller.Get(ctx, s.inf, "default/a"))), append(waited, time.Since(began))
		short, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		errs, waited = append(errs, second(controller.All(short, s.inf))), append(waited, time.Since(began))
		return nil
	}, func(s *readsFixture) {
		time.Sleep(time.Minute) // the first list
		s.send()
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, []time.Duration{10 * time.Second, 12 * time.Second}, waited)
		var stale *controller.StaleError
		require.ErrorAs(t, errs[0], &stale)
		require.Equal(t, "create", stale.Write.Verb)
		require.True(t, stale.Listed)
		require.ErrorContains(t, errs[0], "informer configmaps -n default has not seen configmaps default/a at version ")
		require.ErrorIs(t, errs[1], context.DeadlineExceeded)
		require.ErrorAs(t, errs[1], &stale)
	})
}

// A read does not wait for an object that the informer's selectors exclude: the server is
// asked after a second.
func TestReadOfAnExcludedObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{TweakListOptions: func(o *metav1.ListOptions) { o.FieldSelector = "metadata.name!=b" }})
		requests, waited := make(chan controller.Request), make(chan time.Duration, 1)
		c := controller.New("reads", controller.Func(func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			_, err := s.maps.Create(ctx, newMap("b"), metav1.CreateOptions{})
			require.NoError(t, err)
			began := time.Now()
			_, ok, err := controller.Get(ctx, maps, "default/b")
			require.NoError(t, err)
			require.False(t, ok)
			waited <- time.Since(began)
			return controller.Result{}, nil
		}), controller.Options{})
		controller.Reads(c, maps)
		controller.Channel(c, requests)
		stop := s.run(c)
		time.Sleep(90 * time.Second) // not at the time of a bookmark
		requests <- controller.Request{Name: "x"}
		require.LessOrEqual(t, <-waited, 2*time.Second)
		stop()
	})
}

// Reads outside of a reconcile, of an informer that is not registered and of a nil one are
// errors that say so.
func TestInvalidReads(t *testing.T) {
	runReads(t, 0, controller.Options{}, func(s *readsFixture, ctx context.Context) error {
		other := informer.New(s.maps, informer.Options[*configMap]{})
		foreign, err := other.AddIndex("foreign", func(*configMap) []string { return nil })
		require.NoError(s.t, err)
		again := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		for name, c := range map[string]struct {
			err      error
			expected error
			text     string
		}{
			"another ctx":     {errOf(controller.Get(context.Background(), s.inf, "x")), controller.ErrNotReconciling, "needs the ctx of a Reconcile"},
			"find, other ctx": {second(controller.Find(context.Background(), s.byColor, "x")), controller.ErrNotReconciling, ""},
			"all, other ctx":  {second(controller.All(context.Background(), s.inf)), controller.ErrNotReconciling, ""},
			"lister, other":   {second(controller.Lister(context.Background(), s.inf)), controller.ErrNotReconciling, ""},
			//lint:ignore SA1012 the case passes a nil context
			"nil ctx":          {errOf(controller.Get[*configMap](nil, s.inf, "x")), controller.ErrNotReconciling, ""},
			"not registered":   {errOf(controller.Get(ctx, other, "x")), controller.ErrNotRead, "controller reads has not passed the informer configmaps -n default to For, Owns, Watches or Reads: pass it to controller.Reads"},
			"all of it":        {second(controller.All(ctx, other)), controller.ErrNotRead, ""},
			"lister of it":     {second(controller.Lister(ctx, other)), controller.ErrNotRead, ""},
			"nil informer":     {errOf(controller.Get[*configMap](ctx, (*informer.SharedInformer[*configMap])(nil), "x")), controller.ErrNoInformer, "a tracked read of *controller_test.configMap was called with nil"},
			"nil interface":    {errOf(controller.Get[*configMap](ctx, nil, "x")), controller.ErrNoInformer, "was called with nil: pass what was passed to For, Owns, Watches or Reads"},
			"nil index":        {second(controller.Find[*configMap](ctx, nil, "x")), controller.ErrOptions, "Find was called with a nil index"},
			"foreign index":    {second(controller.Find(ctx, foreign, "x")), controller.ErrNotRead, `the index "foreign" is not of an informer that was passed to For, Owns, Watches or Reads`},
			"another handle":   {errOf(controller.Get(ctx, again, "default/x")), nil, ""},
			"a child ctx":      {errOf(controller.Get(context.WithValue(ctx, childKey{}, 1), s.inf, "default/x")), nil, ""},
			"an invalid key":   {errOf(controller.Get(ctx, s.inf, "/a/b/")), indexer.ErrBadKey, ""},
			"no namespace":     {errOf(controller.Get(ctx, s.inf, "x")), indexer.ErrBadKey, `read configmaps: "x" is not the key of an object: the resource is namespaced, so use "namespace/name"`},
			"an empty value":   {second(controller.Find(ctx, s.byColor, "")), nil, ""},
			"a canceled child": {errOf(controller.Get(canceled(ctx), s.inf, "default/x")), nil, ""},
		} {
			if c.expected == nil {
				require.NoError(s.t, c.err, name)
				continue
			}
			require.ErrorIs(s.t, c.err, c.expected, name)
			require.ErrorContains(s.t, c.err, c.text, name)
		}
		again.Release()
		return nil
	}, func(s *readsFixture) {
		s.send()
		require.Equal(t, 1, s.reconciles())
	})
}

type childKey struct{}

func canceled(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	return ctx
}

func errOf[T any](_ T, _ bool, err error) error { return err }
func second[T any](_ T, err error) error        { return err }

// A read of a goroutine that outlives its reconcile, or its run, returns an error and
// leaves nothing.
func TestReadAfterTheReconcile(t *testing.T) {
	var late context.Context
	var lister indexer.Lister[*configMap]
	runReads(t, 0, controller.Options{}, func(s *readsFixture, ctx context.Context) (err error) {
		late = ctx
		lister, err = controller.Lister(ctx, s.inf)
		return err
	}, func(s *readsFixture) {
		s.add("a", "")
		s.send()
		check := func() {
			require.ErrorIs(t, errOf(controller.Get(late, s.inf, "default/a")), controller.ErrNotReconciling)
			require.ErrorIs(t, second(controller.Find(late, s.byColor, "x")), controller.ErrNotReconciling)
			require.ErrorIs(t, second(lister.Namespace("default").Get("a")), controller.ErrNotReconciling)
			require.Len(t, slices.Collect(lister.List(nil)), 1, "List has no error: it reads without tracking")
			require.Zero(t, s.c.State().TrackedCount)
		}
		check()
		s.reconciles()
		s.set("a", "red")
		require.Zero(t, s.reconciles())
		s.stop()
		check()
		s.stop = func() {}
	})
}

// Wrong arguments of Reads and NotOwnWrites are errors of Run.
func TestInvalidRegistrationsOfReads(t *testing.T) {
	s := newFixture(t, 0)
	maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
	for name, c := range map[string]struct {
		register func(c *controller.Controller)
		expected error
		text     string
	}{
		"nil":           {func(c *controller.Controller) { controller.Reads[*configMap](c, nil) }, controller.ErrNoInformer, "Reads was called with nil: pass an informer, or Bodies, of *controller_test.configMap"},
		"nil pointer":   {func(c *controller.Controller) { controller.Reads(c, (*informer.SharedInformer[*configMap])(nil)) }, controller.ErrNoInformer, ""},
		"nil predicate": {func(c *controller.Controller) { controller.Reads(c, maps, nil) }, controller.ErrOptions, "Reads of configmaps -n default has a nil predicate"},
		"only reads":    {func(c *controller.Controller) { controller.Reads(c, maps) }, controller.ErrNothingWatched, ""},
		"NotOwnWrites": {func(c *controller.Controller) {
			controller.NotOwnWrites(controller.Watches(c, maps, func(*configMap) []controller.Request { return nil }))
		}, controller.ErrOptions, "it is for For and Owns"},
		"mapping of nil": {func(c *controller.Controller) { controller.NotOwnWrites(controller.Watches(c, maps, nil)) }, controller.ErrOptions, ""},
		"For of a nil, own": {func(c *controller.Controller) {
			controller.NotOwnWrites(controller.For(c, (*informer.SharedInformer[*configMap])(nil)))
		}, controller.ErrNoInformer, ""},
	} {
		ctl := controller.New("reads", controller.Func(doNothing), controller.Options{})
		c.register(ctl)
		err := ctl.Run(t.Context())
		require.ErrorIs(t, err, c.expected, name)
		require.ErrorContains(t, err, c.text, name)
	}
}

// A request can have 100,000 dependencies. State and Explain are bounded and have the
// count.
func TestManyDependenciesOfOneRequest(t *testing.T) {
	const n = 100_000
	runReads(t, 0, controller.Options{}, func(s *readsFixture, ctx context.Context) error {
		for i := range n {
			if _, _, err := controller.Get(ctx, s.inf, fmt.Sprint("default/", i)); err != nil {
				return err
			}
		}
		return nil
	}, func(s *readsFixture) {
		s.send()
		require.Equal(t, 1, s.reconciles())
		explanation := s.c.Explain(controller.Request{Name: "reader"})
		require.Equal(t, n, explanation.Count)
		require.Len(t, explanation.Dependencies, 100)
		state := s.c.State()
		require.Equal(t, 1, state.TrackedCount)
		require.Len(t, state.Tracked[0].Dependencies, 10)
		require.Equal(t, n, state.Tracked[0].Count)
		s.add("77777", "")
		require.Equal(t, 1, s.reconciles())
		require.Equal(t, "configmaps -n default default/77777 created", s.c.Explain(controller.Request{Name: "reader"}).Cause)
		s.reconcile = func(context.Context) error { return nil }
		s.send()
		s.reconciles()
		s.add("66666", "")
		require.Zero(t, s.reconciles())
		require.Zero(t, s.c.State().TrackedCount)
	})
}

// If a predicate panics, the update counts, and the panic is logged once.
func TestPanickingPredicateOfReads(t *testing.T) {
	logs := &strings.Builder{}
	runReads(t, 0, controller.Options{Logger: slog.New(slog.NewTextHandler(logs, nil))}, func(s *readsFixture, ctx context.Context) error {
		_, _, err := controller.Get(ctx, s.inf, "default/a")
		return err
	}, func(s *readsFixture) {
		s.add("a", "red")
		s.send()
		s.reconciles()
		for _, color := range []string{"blue", "green"} {
			s.set("a", color)
			require.Equal(t, 1, s.reconciles())
		}
		require.Equal(t, 1, strings.Count(logs.String(), "A predicate panicked"))
	}, func(_, _ *configMap) bool { panic("broken") })
}
