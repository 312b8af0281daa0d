package controller_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
)

// A lister that is used after the reconcile has ended reads without tracking, and later
// changes enqueue the request. The lister is the first tracked read of the run.
func TestListerAfterTheFirstReconcile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		other := informer.For(s.factory, s.maps.Namespace("other"), informer.Options[*configMap]{})
		log := &reconcileLog{}
		var lister indexer.Lister[*configMap]
		c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
			log.add(req)
			if lister == (indexer.Lister[*configMap]{}) {
				var err error
				lister, err = controller.Lister(ctx, maps)
				return controller.Result{}, err
			}
			_, _, err := controller.Get(ctx, maps, req.String())
			return controller.Result{}, err
		}), controller.Options{})
		controller.For(c, other)
		controller.Reads(c, maps)
		requests := make(chan controller.Request, 1)
		controller.Channel(c, requests)
		stop := s.run(c)
		time.Sleep(time.Second)
		requests <- controller.Request{Namespace: "default", Name: "a"}
		require.Equal(t, []string{"a"}, log.take())
		_, err := lister.Namespace("default").Get("a")
		require.ErrorIs(t, err, controller.ErrNotReconciling)
		require.Zero(t, c.State().TrackedCount)
		requests <- controller.Request{Namespace: "default", Name: "a"}
		require.Equal(t, []string{"a"}, log.take())
		s.create("a")
		time.Sleep(time.Second)
		require.Empty(t, log.take(), "without an object of For, the dependencies are dropped")
		stop()
	})
}

// When the informer of tracked reads is removed during Run, its dependencies are dropped,
// and reads return ErrNotRead.
func TestReadsOfARemovedInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		other := informer.For(s.factory, s.maps.Namespace("other"), informer.Options[*configMap]{})
		var last error
		c := controller.New("maps", controller.Func(func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			_, _, last = controller.Get(ctx, maps, "default/a")
			return controller.Result{}, nil
		}), controller.Options{})
		requests := make(chan controller.Request, 1)
		controller.Channel(c, requests)
		controller.Reads(c, other)
		watch := controller.Watches(c, maps, func(*configMap) []controller.Request { return nil })
		stop := s.run(c)
		time.Sleep(time.Second)
		for range 2 { // removed, and added again
			requests <- controller.Request{Name: "r"}
			synctest.Wait()
			require.NoError(t, last)
			require.Equal(t, 1, c.State().TrackedCount)
			watch.Remove()
			synctest.Wait()
			require.Zero(t, c.State().TrackedCount)
			requests <- controller.Request{Name: "r"}
			synctest.Wait()
			require.ErrorIs(t, last, controller.ErrNotRead)
			watch = controller.Watches(c, maps, func(*configMap) []controller.Request { return nil })
			time.Sleep(time.Second)
		}
		stop()
	})
}

// When the registration of Reads is removed during Run, the dependencies on the informer
// are dropped and nothing of it is left, so that the informer can end. Another registration
// of the informer keeps them. A removal between two runs applies to the second.
func TestReadsAreRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		widgets := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		maps := informer.New(s.maps, informer.Options[*configMap]{})
		go func() { ended <- maps.Run(ctx) }()
		var last error
		c := controller.New("maps", controller.Func(func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			_, _, last = controller.Get(ctx, maps, "default/a")
			return controller.Result{}, nil
		}), controller.Options{})
		requests := make(chan controller.Request, 1)
		read := func() error {
			requests <- controller.Request{Name: "r"}
			synctest.Wait()
			return last
		}
		controller.Channel(c, requests)
		controller.Reads(c, widgets)
		removes := []func(){controller.Reads(c, maps)}
		runCtx, stop := context.WithCancel(t.Context())
		runEnded := make(chan error, 1)
		run := func() {
			go func() { runEnded <- c.Run(runCtx) }()
			time.Sleep(time.Second)
		}
		require.NoError(t, s.factory.Start(t.Context()))
		run()
		removes = append(removes, controller.Reads(c, maps))
		time.Sleep(time.Second)
		require.NoError(t, read())
		removes[0]()
		removes[0]() // idempotent
		require.NoError(t, read())
		require.Equal(t, 1, c.State().TrackedCount)
		removes[1]()
		synctest.Wait()
		require.Zero(t, c.State().TrackedCount)
		require.ErrorIs(t, read(), controller.ErrNotRead)

		remove := controller.Reads(c, maps)
		time.Sleep(time.Second)
		require.NoError(t, read())
		stop()
		require.NoError(t, <-runEnded)
		remove()
		end()
		require.NoError(t, <-ended)
		runCtx, stop = context.WithCancel(t.Context())
		run()
		require.Zero(t, c.State().TrackedCount, "the informer does not exist in this run")
		require.ErrorIs(t, read(), controller.ErrNotRead)
		stop()
		require.NoError(t, <-runEnded)
		require.NoError(t, s.factory.Shutdown())
	})
}

// Run does not return while a predicate of a tracked read is running: it has until
// StopTimeout and CancelTimeout, like a predicate that a handler calls.
func TestStopWaitsForPredicatesOfReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		var began, returned time.Time
		c := controller.New("maps", controller.Func(func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			_, _, err := controller.Get(ctx, maps, "default/a")
			return controller.Result{}, err
		}), controller.Options{})
		controller.Reads(c, maps, func(_, _ *configMap) bool {
			began = time.Now()
			time.Sleep(3 * time.Second)
			returned = time.Now()
			return true
		})
		requests := make(chan controller.Request, 1)
		controller.Channel(c, requests)
		created := s.create("a")
		require.NoError(t, s.factory.Start(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		requests <- controller.Request{Name: "r"}
		time.Sleep(time.Second)
		created.ResourceVersion, created.Data = "", map[string]string{"x": "1"}
		apitest.Update(t, s.server, created)
		time.Sleep(time.Second)
		synctest.Wait()
		require.False(t, began.IsZero())
		cancel()
		require.NoError(t, <-ended)
		require.False(t, returned.IsZero(), "the predicate has not returned")
		require.NoError(t, s.factory.Shutdown())
	})
}

// If the predicate of a tracked read does not return, the StopError names the informer.
func TestStopErrorNamesTheInformerOfReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(t, 0)
		maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
		c := controller.New("maps", controller.Func(func(ctx context.Context, _ controller.Request) (controller.Result, error) {
			_, _, err := controller.Get(ctx, maps, "default/a")
			return controller.Result{}, err
		}), controller.Options{StopTimeout: time.Second, CancelTimeout: time.Second})
		release := make(chan struct{})
		controller.Reads(c, maps, func(_, _ *configMap) bool { <-release; return true })
		requests := make(chan controller.Request, 1)
		controller.Channel(c, requests)
		s.create("a")
		require.NoError(t, s.factory.Start(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- c.Run(ctx) }()
		requests <- controller.Request{Name: "r"}
		time.Sleep(time.Second)
		apitest.Update(t, s.server, colored("a", "red"))
		time.Sleep(time.Second)
		cancel()
		var stop *controller.StopError
		require.ErrorAs(t, <-ended, &stop)
		require.Equal(t, []string{"configmaps -n default"}, stop.Sources)
		close(release)
		require.NoError(t, s.factory.Shutdown())
	})
}

// The query whether selectors exclude a written object does not delay a read: neither
// when the event comes meanwhile, nor when ctx ends.
func TestSlowQueryDoesNotDelayARead(t *testing.T) {
	for name, test := range map[string]struct {
		eventAfter, timeout, want time.Duration
		wantErr                   error
	}{
		"event":   {2 * time.Second, time.Minute, 2 * time.Second, nil},
		"timeout": {12 * time.Second, 3 * time.Second, 3 * time.Second, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFixture(t, test.eventAfter)
				maps := informer.For(s.factory, s.maps, informer.Options[*configMap]{})
				var took time.Duration
				var err error
				c := controller.New("maps", controller.Func(func(ctx context.Context, req controller.Request) (controller.Result, error) {
					if took > 0 {
						return controller.Result{}, nil
					}
					_, e := s.maps.Create(ctx, newMap("written"), metav1.CreateOptions{})
					require.NoError(t, e)
					began := time.Now()
					ctx, cancel := context.WithTimeout(ctx, test.timeout)
					defer cancel()
					_, _, err = controller.Get(ctx, maps, "default/written")
					took = time.Since(began)
					return controller.Result{}, nil
				}), controller.Options{})
				controller.Reads(c, maps)
				requests := make(chan controller.Request, 1)
				controller.Channel(c, requests)
				stop := s.run(c)
				time.Sleep(20 * time.Second)
				s.server.Fault(apitest.Fault{Match: apitest.Match{Verb: "list"}, Action: apitest.Delay(4 * time.Second)})
				requests <- controller.Request{Name: "r"}
				time.Sleep(30 * time.Second)
				synctest.Wait()
				require.Equal(t, test.want, took.Round(100*time.Millisecond))
				require.ErrorIs(t, err, test.wantErr)
				stop()
			})
		})
	}
}
