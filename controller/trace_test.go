package controller

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// The functions of a Trace are called at each step of a key, in order.
func TestTraceIsCalledAtEachStep(t *testing.T) {
	var tc *testController
	broken := true
	trace := &Trace{
		Queued:  func(i TraceInfo, reason Reason) { tc.record("%s: %v queued: %v", i.Controller, i.Request, reason) },
		Started: func(i TraceInfo) { tc.record("%v started", i.Request) },
		Ended: func(i TraceInfo, r Result, err error, took time.Duration) {
			tc.record("%v ended after %v: %+v, %v", i.Request, took, r, err)
		},
		Retried: func(i TraceInfo, wait time.Duration, err error) {
			tc.record("%v again in %v: %v", i.Request, wait, err)
		},
		Quarantined: func(i TraceInfo, err error) {
			tc.record("%v in quarantine: %v", i.Request, err)
		},
	}
	runTestController(t, Options{Trace: trace, MaxPanics: 1, Backoff: Backoff{Base: 2 * time.Second}}, func(own *testController, _ context.Context, _ Request) (Result, error) {
		time.Sleep(time.Second)
		b, _ := own.books.Get("x")
		switch {
		case b.page > 0:
			panic("broken")
		case broken:
			broken = false
			return Result{}, errors.New("failed")
		}
		return Result{RequeueAfter: time.Hour}, nil
	}, func(own *testController) {
		tc = own
		tc.put("x", 0)
		tc.sleep(10 * time.Second)
		assert.Equal(t, []string{
			"0s books: x queued: changed", "0s x started", "1s x ended after 1s: {RequeueAfter:0s}, failed", "1s x again in 2s: failed",
			"3s x started", "4s x ended after 1s: {RequeueAfter:1h0m0s}, <nil>",
		}, tc.takeRecords())
		tc.put("x", 1)
		tc.sleep(time.Second)
		assert.Equal(t, []string{
			"10s books: x queued: changed", "10s x started", "11s x ended after 1s: {RequeueAfter:0s}, panic: broken", "11s x in quarantine: panic: broken",
		}, tc.takeRecords())
	})
}

// If a function of a Trace, a predicate or a mapping panics, the panic is logged, and at
// most that notification is lost.
func TestPanicsOutsideReconcileAreLogged(t *testing.T) {
	doPanic := func() { panic("broken") }
	runTestController(t, Options{Trace: &Trace{
		Queued:  func(TraceInfo, Reason) { doPanic() },
		Started: func(TraceInfo) { doPanic() },
		Ended:   func(TraceInfo, Result, error, time.Duration) { doPanic() },
		Retried: func(TraceInfo, time.Duration, error) { doPanic() },
	}, Backoff: Backoff{Base: time.Second}}, func(tc *testController, _ context.Context, req Request) (Result, error) {
		tc.record("%v", req)
		if tc.c.State().Errors == 0 {
			return Result{}, errors.New("failed")
		}
		return Result{}, nil
	}, func(tc *testController) {
		tc.sleep(time.Minute)
		assert.Equal(t, []string{"0s x", "1s x"}, tc.takeRecords())
		assert.Zero(t, tc.c.State().Panics)
		assert.Contains(t, fmt.Sprint(tc.logs.all()), "A trace function panicked")
	}, "x")
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource("x", "y")
		books, stopBooks := s.runInformer(t)
		got := map[string]int{}
		c := New("books", Func(func(_ context.Context, req Request) (Result, error) { got[req.Name]++; return Result{}, nil }), Options{})
		Watches(c, books, func(b *book) []Request {
			if b.Name == "x" {
				doPanic()
			}
			return []Request{{Name: b.Name}}
		}, func(_, b *book) bool {
			if b.page == 1 {
				doPanic()
			}
			return true
		})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		for page := range 3 {
			time.Sleep(time.Second)
			s.put("x", page)
			s.put("y", page)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, map[string]int{"y": 3}, got, "keys of the initial list, page 0 and page 2")
		assert.True(t, c.State().Synced)
		stop()
		assert.NoError(t, <-ended)
		stopBooks()
	})
}

// A key that the mapping returns twice for one event, or for both states of an update,
// is queued once.
func TestWatchesQueuesAKeyOncePerEvent(t *testing.T) {
	for _, others := range []int{0, 10} {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeSource("x")
			books, stopBooks := s.runInformer(t)
			queued := map[string]int{}
			c := New("books", Func(func(context.Context, Request) (Result, error) { return Result{}, nil }), Options{
				Trace: &Trace{Queued: func(i TraceInfo, _ Reason) { queued[i.Request.Name]++ }},
			})
			Watches(c, books, func(b *book) []Request {
				requests := []Request{{Name: b.Name}, {Name: fmt.Sprint("page-", b.page)}, {Name: b.Name}}
				for i := range others {
					requests = append(requests, Request{Name: fmt.Sprint("other-", i)})
				}
				return requests
			})
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- c.Run(ctx) }()
			time.Sleep(time.Second)
			synctest.Wait()
			clear(queued)
			s.put("x", 1)
			time.Sleep(time.Second)
			synctest.Wait()
			assert.Len(t, queued, 3+others)
			for key, times := range queued {
				assert.Equal(t, 1, times, key)
			}
			assert.Contains(t, queued, "page-0", "the old state's key")
			assert.Contains(t, queued, "page-1", "the new state's key")
			stop()
			assert.NoError(t, <-ended)
			stopBooks()
		})
	}
}

// Keys received from a Channel are reconciled. Closing it does not end the controller.
func TestChannelEnqueuesKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := make(chan Request)
		got := make(chan Request, 10)
		c := New("books", Func(func(_ context.Context, req Request) (Result, error) { got <- req; return Result{}, nil }), Options{})
		Channel(c, requests)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		requests <- Request{"a", "x"}
		assert.Equal(t, Request{"a", "x"}, <-got)
		close(requests)
		synctest.Wait()
		assert.True(t, c.State().Running)
		stop()
		assert.NoError(t, <-ended)
	})
}

// A function of a Trace that calls runtime.Goexit, as FailNow does, affects only that
// reconcile.
func TestGoexitInATraceAffectsOneReconcile(t *testing.T) {
	ended := false
	once := func() {
		if !ended {
			ended = true
			runtime.Goexit()
		}
	}
	for name, trace := range map[string]*Trace{
		"Started": {Started: func(TraceInfo) { once() }},
		"Ended":   {Ended: func(TraceInfo, Result, error, time.Duration) { once() }},
	} {
		ended = false
		runTestController(t, Options{Trace: trace, Backoff: Backoff{Base: time.Second}}, func(tc *testController, _ context.Context, req Request) (Result, error) {
			tc.record("%v", req)
			return Result{}, nil
		}, func(tc *testController) {
			assert.True(t, ended)
			assert.Empty(t, tc.c.State().Working, name)
			tc.sleep(2 * time.Second)
			assert.Len(t, tc.takeRecords(), 1, name)
			tc.put("x", 1)
			assert.Len(t, tc.takeRecords(), 1, "%s: the worker has ended", name)
		}, "x")
	}
}

// An update enqueues the keys of the old and the new state. Objects of the first list are
// enqueued as initial.
func TestAnUpdateEnqueuesTheKeysOfBothStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource("x")
		books, stopBooks := s.runInformer(t)
		var queued []string
		c := New("books", Func(func(context.Context, Request) (Result, error) { return Result{}, nil }), Options{
			Trace: &Trace{Queued: func(i TraceInfo, reason Reason) { queued = append(queued, i.Request.Name+" "+reason.String()) }},
		})
		Watches(c, books, func(b *book) []Request { return []Request{{Name: fmt.Sprint(b.page)}} })
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		synctest.Wait()
		s.put("x", 1)
		synctest.Wait()
		assert.Equal(t, []string{"0 initial", "0 changed", "1 changed"}, queued)
		stop()
		assert.NoError(t, <-ended)
		stopBooks()
	})
}
