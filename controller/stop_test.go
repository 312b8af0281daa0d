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

// At the end nothing new begins, and what has begun may finish within
// StopTimeout, its ctx alive.
func TestStopWaitsForWhatHasBegun(t *testing.T) {
	atDesk(t, Options{StopTimeout: time.Minute}, func(d *desk, ctx context.Context, req Request) (Result, error) {
		d.note("%v begins", req)
		time.Sleep(30 * time.Second)
		d.note("%v ends, %v", req, ctx.Err())
		return Result{}, errors.New("retried if it could be")
	}, func(d *desk) {
		d.after(10 * time.Second)
		d.stop()
		assert.NoError(t, <-d.ended)
		d.stop = nil
		d.put("x", 1)
		d.after(time.Hour)
		seen := d.notes()
		assert.Len(t, seen, 2, "of two keys one had begun: %v", seen)
		assert.Regexp(t, "^30s . ends, <nil>", seen[1])
		assert.False(t, d.c.State().Running)
	}, "x", "y")
}

// Past StopTimeout the ctx of what goes on ends, and past CancelTimeout Run
// returns and names it; as long as it goes on, there is no other Run.
func TestWhatIgnoresItsContextIsNamed(t *testing.T) {
	atDesk(t, Options{MaxConcurrentReconciles: 3, StopTimeout: time.Minute, CancelTimeout: 10 * time.Second}, func(d *desk, ctx context.Context, req Request) (Result, error) {
		if req.Name == "heeds" {
			<-ctx.Done()
			d.note("heeds ends: %v", context.Cause(ctx))
			return Result{}, ctx.Err()
		}
		<-d.release
		return Result{}, nil
	}, func(d *desk) {
		d.stop()
		err := <-d.ended
		d.stop = nil
		assert.Equal(t, 70*time.Second, time.Since(d.begin))
		var late *StopError
		assert.ErrorAs(t, err, &late)
		assert.Equal(t, []Request{{"a", "ignores1"}, {"a", "ignores2"}}, late.Requests)
		assert.Equal(t, "controller books: stopping: these have not returned in time: the reconcile of a/ignores1, whose ctx has ended; the reconcile of a/ignores2, whose ctx has ended", err.Error())
		assert.Equal(t, []string{"1m0s heeds ends: controller: it is stopping, and StopTimeout has passed"}, d.notes())
		assert.Empty(t, d.logs.all(), "what was cut off is no failure")
		assert.ErrorIs(t, d.c.Run(t.Context()), ErrRunning)
		close(d.release)
		synctest.Wait()
		d.run()
		d.after(time.Second)
		assert.Equal(t, uint64(5), d.c.State().Reconciles)
	}, "a/ignores1", "a/heeds", "a/ignores2")
}

// When leadership ends what has begun is cut off at once; also during a stop.
func TestLostLeadershipCutsOff(t *testing.T) {
	for name, stopsBefore := range map[string]bool{"lost": false, "lost while stopping": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				books, _ := newShelf("x").read(t)
				var cut time.Time
				var cause error
				c := New("books", Func(func(ctx context.Context, _ Request) (Result, error) {
					<-ctx.Done()
					cut, cause = time.Now(), context.Cause(ctx)
					return Result{}, ctx.Err()
				}), Options{})
				For(c, books)
				leading, lose := context.WithCancelCause(t.Context())
				ctx, stop := context.WithCancel(WithLeading(leading, leading))
				defer stop()
				ended := make(chan error)
				go func() { ended <- c.Run(ctx) }()
				synctest.Wait()
				if stopsBefore {
					stop()
					time.Sleep(10 * time.Second)
				}
				lost := time.Now()
				lose(ErrNotLeading)
				assert.NoError(t, <-ended)
				assert.Equal(t, lost, cut)
				assert.Equal(t, ErrNotLeading, cause)
			})
		})
	}
}

// expired is a lease that has ended before a goroutine has noticed.
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

// What the Err of a leadership says, the Err of a reconcile's ctx says too, and
// no other begins.
func TestAnExpiredLeadershipIsNoticedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		books, _ := newShelf("x", "y").read(t)
		over := false
		var errs []error
		c := New("books", Func(func(ctx context.Context, _ Request) (Result, error) {
			before := ctx.Err()
			ctx.Done()
			over = true
			errs = append(errs, before, ctx.Err())
			return Result{}, nil
		}), Options{})
		For(c, books)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(WithLeading(ctx, expired{ctx, &over})) }()
		synctest.Wait()
		assert.Equal(t, []error{nil, context.Canceled}, errs)
		stop()
		assert.NoError(t, <-ended)
	})
}

// What has ended the run is told beside what has not ended with it.
func TestAnEndThatIsLateSaysWhyItCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		books, stopBooks := newShelf("x").read(t)
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

// A function of the trace that does not return is no clean end either.
func TestATraceThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		books, _ := newShelf("x").read(t)
		release := make(chan struct{})
		c := New("books", Func(func(context.Context, Request) (Result, error) { return Result{}, nil }), Options{
			Sweep: time.Second,
			Trace: &Trace{Queued: func(_ TraceInfo, why Reason) {
				if why == ReasonSwept {
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
		assert.EqualError(t, <-ended, "controller books: stopping: these have not returned in time: a function of the Trace, or the handler of the Logger")
		assert.ErrorIs(t, c.Run(t.Context()), ErrRunning)
		close(release)
	})
}

// A mapping that does not return is named as well.
func TestAMappingThatHangsIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		books, stopBooks := newShelf("x").read(t)
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

// A graceful stop at every point of a reconcile's life: before, in and after it,
// while it is retried, delayed or in quarantine. Run returns in time, nothing
// begins after its ctx is done, and nothing is left.
func TestStopAtEveryPoint(t *testing.T) {
	const step = 100 * time.Millisecond
	for at := range 60 {
		var last atomic.Int64 // when a reconcile began
		atDesk(t, Options{
			MaxConcurrentReconciles: 2, Backoff: Backoff{Base: 3 * step, Max: 8 * step}, Sweep: 7 * step, MaxPanics: 2,
			StopTimeout: 3 * step, CancelTimeout: 3 * step,
		}, func(d *desk, ctx context.Context, req Request) (Result, error) {
			last.Store(int64(time.Since(d.begin)))
			sleep := func(n int) {
				select {
				case <-time.After(time.Duration(n) * step):
				case <-ctx.Done():
				}
			}
			switch req.Name {
			case "fails":
				sleep(2)
				return Result{}, errors.New("no ink")
			case "panics":
				sleep(1)
				panic("ink")
			case "again":
				return Result{RequeueAfter: 2 * step}, nil
			case "slow":
				sleep(10)
			}
			return Result{}, nil
		}, func(d *desk) {
			d.after(time.Duration(at) * step)
			d.put("again", at)
			d.stop()
			begin := time.Now()
			err := <-d.ended
			d.stop = nil
			assert.NoError(t, err, "stopped at step %d", at)
			assert.LessOrEqual(t, time.Since(begin), 3*step, "stopped at step %d", at)
			d.after(time.Minute)
			assert.LessOrEqual(t, time.Duration(last.Load()), begin.Sub(d.begin), "stopped at step %d", at)
		}, "fails", "panics", "again", "slow")
	}
}

// A controller runs again after its end, all keys come anew, and nothing is left
// of the run before.
func TestRunAgain(t *testing.T) {
	atDesk(t, Options{MaxPanics: 1}, func(d *desk, _ context.Context, req Request) (Result, error) {
		d.note("%v", req)
		if req.Name == "y" {
			panic("ink")
		}
		return Result{RequeueAfter: time.Hour}, nil
	}, func(d *desk) {
		for range 3 {
			d.after(time.Minute)
			assert.Len(t, d.notes(), 2)
			assert.Equal(t, 1, d.c.State().QuarantinedCount)
			assert.ErrorIs(t, d.c.Run(t.Context()), ErrRunning)
			d.finish()
			assert.Empty(t, d.books.State().Handlers)
			d.run()
		}
		d.after(time.Second)
		assert.Equal(t, uint64(8), d.c.State().Reconciles, "counters are of all runs")
	}, "x", "y")
}

// An informer that ends ends the controller, with an error: nobody would tell it
// of changes.
func TestAnInformerThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf("x")
		books, stopBooks := s.read(t)
		c := New("books", Func(func(context.Context, Request) (Result, error) { return Result{}, nil }), Options{})
		For(c, books)
		ended := make(chan error)
		go func() { ended <- c.Run(t.Context()) }()
		synctest.Wait()
		stopBooks()
		err := <-ended
		assert.ErrorIs(t, err, informer.ErrStopped)
		assert.ErrorContains(t, err, "controller books: the informer of books")
		assert.ErrorIs(t, c.Run(t.Context()), informer.ErrStopped)
	})
}

// One ctx may end the informers and the controller, in whatever order: that is no
// error.
func TestInformersThatEndWithTheController(t *testing.T) {
	for name, synced := range map[string]bool{"running": true, "waiting": false} {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf("x")
			if !synced {
				s.refuse = errors.New("not now")
			}
			books, stopBooks := s.read(t)
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

// The ctx of a reconcile is alive in it and over after it, however it was used;
// it ends in time, and what comes of it ends with it.
func TestTheContextOfAReconcile(t *testing.T) {
	var kept []context.Context
	atDesk(t, Options{ReconcileTimeout: 10 * time.Second}, func(d *desk, ctx context.Context, req Request) (Result, error) {
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
	}, func(d *desk) {
		for name, wait := range map[string]time.Duration{"waits": 10 * time.Second, "sleeps": 11 * time.Second, "leaks": time.Second, "plain": time.Second} {
			d.put(name, 0)
			d.after(wait)
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
		assert.Len(t, d.logs.all(), 1)
	})
}
