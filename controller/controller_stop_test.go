package controller

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/thinformer/thinformer/informer"
)

// After the stop no reconcile begins. A reconcile in progress may finish within
// StopTimeout, and its ctx does not end before.
func TestStopWaitsForReconcilesInProgress(t *testing.T) {
	runTestController(t, Options{StopTimeout: time.Minute}, func(tc *testController, ctx context.Context, req Request) (Result, error) {
		tc.record("%v begins", req)
		time.Sleep(30 * time.Second)
		tc.record("%v ends, %v", req, ctx.Err())
		return Result{}, errors.New("failed after the stop")
	}, func(tc *testController) {
		tc.sleep(10 * time.Second)
		tc.stop()
		assert.NoError(t, <-tc.ended)
		tc.stop = nil
		tc.put("x", 1)
		tc.sleep(time.Hour)
		seen := tc.takeRecords()
		assert.Len(t, seen, 2, "one of two keys is in progress: %v", seen)
		assert.Regexp(t, "^30s . ends, <nil>", seen[1])
		assert.False(t, tc.c.State().Running)
	}, "x", "y")
}

// After StopTimeout the ctx of the reconciles ends. After CancelTimeout Run returns and
// names those still in progress. Until they have returned, Run cannot be called again.
func TestReconcilesThatIgnoreTheirContextAreReported(t *testing.T) {
	runTestController(t, Options{MaxConcurrentReconciles: 3, StopTimeout: time.Minute, CancelTimeout: 10 * time.Second}, func(tc *testController, ctx context.Context, req Request) (Result, error) {
		if req.Name == "returns" {
			<-ctx.Done()
			tc.record("ends: %v", context.Cause(ctx))
			return Result{}, ctx.Err()
		}
		<-tc.release
		return Result{}, nil
	}, func(tc *testController) {
		tc.stop()
		err := <-tc.ended
		tc.stop = nil
		assert.Equal(t, 70*time.Second, time.Since(tc.begin))
		var late *StopError
		assert.ErrorAs(t, err, &late)
		assert.Equal(t, []Request{{"a", "ignores1"}, {"a", "ignores2"}}, late.Requests)
		assert.Equal(t, "controller books: stopping: not returned in time: the reconcile of a/ignores1, whose ctx has ended; the reconcile of a/ignores2, whose ctx has ended", err.Error())
		assert.Equal(t, []string{"1m0s ends: controller: stopping: StopTimeout has passed"}, tc.takeRecords())
		assert.Empty(t, tc.logs.all(), "a canceled reconcile is logged as a failure")
		assert.ErrorIs(t, tc.c.Run(t.Context()), ErrRunning)
		close(tc.release)
		synctest.Wait()
		tc.run()
		tc.sleep(time.Second)
		assert.Equal(t, uint64(5), tc.c.State().Reconciles)
	}, "a/ignores1", "a/returns", "a/ignores2")
}

// When the leadership is lost, the reconciles are canceled at once, also during a stop.
func TestLostLeadershipCancelsReconciles(t *testing.T) {
	for name, stopFirst := range map[string]bool{"running": false, "stopping": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				books, _ := newFakeSource("x").runInformer(t)
				var canceled time.Time
				var cause error
				c := New("books", Func(func(ctx context.Context, _ Request) (Result, error) {
					<-ctx.Done()
					canceled, cause = time.Now(), context.Cause(ctx)
					return Result{}, ctx.Err()
				}), Options{})
				For(c, books)
				leading, lose := context.WithCancelCause(t.Context())
				ctx, stop := context.WithCancel(WithLeading(leading, leading))
				defer stop()
				ended := make(chan error)
				go func() { ended <- c.Run(ctx) }()
				synctest.Wait()
				if stopFirst {
					stop()
					time.Sleep(10 * time.Second)
				}
				lost := time.Now()
				lose(ErrNotLeading)
				assert.NoError(t, <-ended)
				assert.Equal(t, lost, canceled)
				assert.Equal(t, ErrNotLeading, cause)
			})
		})
	}
}

// expired is the context of a leadership whose Err reports the end before its Done.
type expired struct {
	context.Context
	over *bool
}

func (e expired) Err() error {
	if *e.over {
		return context.Canceled
	}
	return nil
}

// When the Err of the leadership reports its end, so does the Err of a reconcile's ctx,
// and no other reconcile begins.
func TestExpiredLeadershipEndsReconcilesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		books, _ := newFakeSource("x", "y").runInformer(t)
		expiredNow := false
		var errs []error
		c := New("books", Func(func(ctx context.Context, _ Request) (Result, error) {
			before := ctx.Err()
			ctx.Done()
			expiredNow = true
			errs = append(errs, before, ctx.Err())
			return Result{}, nil
		}), Options{})
		For(c, books)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(WithLeading(ctx, expired{ctx, &expiredNow})) }()
		synctest.Wait()
		assert.Equal(t, []error{nil, context.Canceled}, errs)
		stop()
		assert.NoError(t, <-ended)
	})
}

// The error of Run has both the cause of the end and the functions that have not returned.
func TestLateStopReportsItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		books, stopBooks := newFakeSource("x").runInformer(t)
		release := make(chan struct{})
		c := New("books", Func(func(context.Context, Request) (Result, error) { <-release; return Result{}, nil }), Options{})
		For(c, books)
		ended := make(chan error)
		go func() { ended <- c.Run(t.Context()) }()
		synctest.Wait()
		stopBooks()
		err := <-ended
		var late *StopError
		assert.ErrorAs(t, err, &late)
		assert.ErrorIs(t, err, informer.ErrStopped)
		close(release)
	})
}

// A function of the Trace that does not return is reported.
func TestBlockedTraceIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		books, _ := newFakeSource("x").runInformer(t)
		release := make(chan struct{})
		c := New("books", Func(func(context.Context, Request) (Result, error) { return Result{}, nil }), Options{
			ResyncPeriod: time.Second,
			Trace: &Trace{Queued: func(_ TraceInfo, reason Reason) {
				if reason == ReasonResync {
					<-release
				}
			}},
		})
		For(c, books)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		time.Sleep(time.Minute)
		stop()
		assert.EqualError(t, <-ended, "controller books: stopping: not returned in time: a function of the Trace, or the handler of the Logger")
		assert.ErrorIs(t, c.Run(t.Context()), ErrRunning)
		close(release)
	})
}

// A mapping that does not return is reported.
func TestBlockedMappingIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		books, stopBooks := newFakeSource("x").runInformer(t)
		release := make(chan struct{})
		c := New("books", Func(func(context.Context, Request) (Result, error) { return Result{}, nil }), Options{})
		Watches(c, books, func(*book) []Request { <-release; return nil })
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		synctest.Wait()
		stop()
		var late *StopError
		assert.ErrorAs(t, <-ended, &late)
		assert.Equal(t, []string{books.State().Name}, late.Sources)
		close(release)
		stopBooks()
	})
}

// Run can be stopped before, during and after a reconcile, and while keys wait for a
// retry, a delay or in quarantine. It returns in time, and no reconcile begins after its
// ctx is done.
func TestStopAtEveryPoint(t *testing.T) {
	const step = 100 * time.Millisecond
	for at := range 60 {
		var last atomic.Int64 // when a reconcile began
		runTestController(t, Options{
			MaxConcurrentReconciles: 2, Backoff: Backoff{Base: 3 * step, Max: 8 * step}, ResyncPeriod: 7 * step, MaxPanics: 2,
			StopTimeout: 3 * step, CancelTimeout: 3 * step,
		}, func(tc *testController, ctx context.Context, req Request) (Result, error) {
			last.Store(int64(time.Since(tc.begin)))
			sleep := func(n int) {
				select {
				case <-time.After(time.Duration(n) * step):
				case <-ctx.Done():
				}
			}
			switch req.Name {
			case "fails":
				sleep(2)
				return Result{}, errors.New("failed")
			case "panics":
				sleep(1)
				panic("broken")
			case "requeues":
				return Result{RequeueAfter: 2 * step}, nil
			case "slow":
				sleep(10)
			}
			return Result{}, nil
		}, func(tc *testController) {
			tc.sleep(time.Duration(at) * step)
			tc.put("requeues", at)
			tc.stop()
			begin := time.Now()
			err := <-tc.ended
			tc.stop = nil
			assert.NoError(t, err, "stopped at step %d", at)
			assert.LessOrEqual(t, time.Since(begin), 3*step, "stopped at step %d", at)
			tc.sleep(time.Minute)
			assert.LessOrEqual(t, time.Duration(last.Load()), begin.Sub(tc.begin), "stopped at step %d", at)
		}, "fails", "panics", "requeues", "slow")
	}
}

// A controller can be run again. All keys are enqueued again, and no handler of the last
// run is left.
func TestControllerCanRunAgain(t *testing.T) {
	runTestController(t, Options{MaxPanics: 1}, func(tc *testController, _ context.Context, req Request) (Result, error) {
		tc.record("%v", req)
		if req.Name == "y" {
			panic("broken")
		}
		return Result{RequeueAfter: time.Hour}, nil
	}, func(tc *testController) {
		for range 3 {
			tc.sleep(time.Minute)
			assert.Len(t, tc.takeRecords(), 2)
			assert.Equal(t, 1, tc.c.State().QuarantinedCount)
			assert.ErrorIs(t, tc.c.Run(t.Context()), ErrRunning)
			tc.stopAndWait()
			assert.Empty(t, tc.books.State().Handlers)
			tc.run()
		}
		tc.sleep(time.Second)
		assert.Equal(t, uint64(8), tc.c.State().Reconciles, "the counts do not include all runs")
	}, "x", "y")
}

// If an informer ends, Run returns an error, since the controller would miss changes.
func TestEndOfAnInformerEndsTheController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource("x")
		books, stopBooks := s.runInformer(t)
		c := New("books", Func(func(context.Context, Request) (Result, error) { return Result{}, nil }), Options{})
		For(c, books)
		ended := make(chan error)
		go func() { ended <- c.Run(t.Context()) }()
		synctest.Wait()
		stopBooks()
		err := <-ended
		assert.ErrorIs(t, err, informer.ErrStopped)
		assert.ErrorContains(t, err, "controller books: the informer books")
		assert.ErrorIs(t, c.Run(t.Context()), informer.ErrStopped)
	})
}

// Informers and controller that end with the same ctx, in any order, cause no error.
func TestInformersMayEndWithTheController(t *testing.T) {
	for name, synced := range map[string]bool{"running": true, "waiting": false} {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeSource("x")
			if !synced {
				s.listErr = errors.New("unavailable")
			}
			books, stopBooks := s.runInformer(t)
			c := New("books", Func(func(context.Context, Request) (Result, error) { return Result{}, nil }), Options{})
			For(c, books)
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- c.Run(ctx) }()
			synctest.Wait()
			stopBooks()
			synctest.Wait()
			stop()
			assert.NoError(t, <-ended, name)
		})
	}
}

// The ctx of a reconcile ends when the reconcile returns or exceeds ReconcileTimeout, and
// so do contexts derived from it.
func TestContextEndsWithTheReconcile(t *testing.T) {
	var kept []context.Context
	runTestController(t, Options{ReconcileTimeout: 10 * time.Second}, func(tc *testController, ctx context.Context, req Request) (Result, error) {
		kept = nil
		kept = append(kept, ctx)
		deadline, ok := ctx.Deadline()
		assert.True(t, ok)
		assert.Equal(t, time.Now().Add(10*time.Second), deadline)
		assert.NoError(t, ctx.Err())
		switch req.Name {
		case "waits":
			child, cancel := context.WithCancel(ctx)
			defer cancel()
			<-child.Done()
			assert.Equal(t, context.DeadlineExceeded, ctx.Err())
			return Result{}, TerminalError(child.Err())
		case "sleeps":
			time.Sleep(11 * time.Second)
			assert.Equal(t, context.DeadlineExceeded, ctx.Err())
		case "leaks":
			child, cancel := context.WithCancel(ctx)
			t.Cleanup(cancel)
			kept = append(kept, child)
		}
		return Result{}, nil
	}, func(tc *testController) {
		for name, wait := range map[string]time.Duration{"waits": 10 * time.Second, "sleeps": 11 * time.Second, "leaks": time.Second, "plain": time.Second} {
			tc.put(name, 0)
			tc.sleep(wait)
			for _, ctx := range kept {
				assert.Error(t, ctx.Err(), name)
				select {
				case <-ctx.Done():
				default:
					t.Errorf("%s: the ctx is not done", name)
				}
				assert.Error(t, context.Cause(ctx))
			}
		}
		assert.Len(t, tc.logs.all(), 1)
	})
}

// An informer that ends less than sharedEndDelay before the controller causes no error.
func TestInformerMayEndJustBeforeTheController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		books, stopBooks := newFakeSource("x").runInformer(t)
		c := New("books", Func(func(context.Context, Request) (Result, error) { return Result{}, nil }), Options{})
		For(c, books)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		synctest.Wait()
		stopBooks()
		time.Sleep(sharedEndDelay / 2)
		stop()
		assert.NoError(t, <-ended)
	})
}
