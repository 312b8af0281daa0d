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

// A trace is told of each step of a key, in order.
func TestTrace(t *testing.T) {
	var d *desk
	broken := true
	trace := &Trace{
		Queued:  func(i TraceInfo, why Reason) { d.note("%s: %v queued: %v", i.Controller, i.Request, why) },
		Started: func(i TraceInfo) { d.note("%v started", i.Request) },
		Ended: func(i TraceInfo, r Result, err error, took time.Duration) {
			d.note("%v ended after %v: %+v, %v", i.Request, took, r, err)
		},
		Retried: func(i TraceInfo, wait time.Duration, err error) { d.note("%v again in %v: %v", i.Request, wait, err) },
		Quarantined: func(i TraceInfo, err error) {
			d.note("%v in quarantine: %v", i.Request, err)
		},
	}
	atDesk(t, Options{Trace: trace, MaxPanics: 1, Backoff: Backoff{Base: 2 * time.Second}}, func(own *desk, _ context.Context, req Request) (Result, error) {
		time.Sleep(time.Second)
		b, _ := own.books.Get("x")
		switch {
		case b.page > 0:
			panic("ink")
		case broken:
			broken = false
			return Result{}, errors.New("no ink")
		}
		return Result{RequeueAfter: time.Hour}, nil
	}, func(own *desk) {
		d = own
		d.put("x", 0)
		d.after(10 * time.Second)
		assert.Equal(t, []string{
			"0s books: x queued: changed", "0s x started", "1s x ended after 1s: {RequeueAfter:0s}, no ink", "1s x again in 2s: no ink",
			"3s x started", "4s x ended after 1s: {RequeueAfter:1h0m0s}, <nil>",
		}, d.notes())
		d.put("x", 1)
		d.after(time.Second)
		assert.Equal(t, []string{
			"10s books: x queued: changed", "10s x started", "11s x ended after 1s: {RequeueAfter:0s}, panic: ink", "11s x in quarantine: panic: ink",
		}, d.notes())
	})
}

// What a function of a trace, a predicate or a mapping costs that panics: a line
// of the log, and that notification at most.
func TestPanicsBesideTheReconcile(t *testing.T) {
	blow := func() { panic("ink") }
	atDesk(t, Options{Trace: &Trace{
		Queued:  func(TraceInfo, Reason) { blow() },
		Started: func(TraceInfo) { blow() },
		Ended:   func(TraceInfo, Result, error, time.Duration) { blow() },
		Retried: func(TraceInfo, time.Duration, error) { blow() },
	}, Backoff: Backoff{Base: time.Second}}, func(d *desk, _ context.Context, req Request) (Result, error) {
		d.note("%v", req)
		if d.c.State().Errors == 0 {
			return Result{}, errors.New("no ink")
		}
		return Result{}, nil
	}, func(d *desk) {
		d.after(time.Minute)
		assert.Equal(t, []string{"0s x", "1s x"}, d.notes())
		assert.Zero(t, d.c.State().Panics)
		assert.Contains(t, fmt.Sprint(d.logs.all()), "A trace function has panicked")
	}, "x")
	synctest.Test(t, func(t *testing.T) {
		s := newShelf("x", "y")
		books, stopBooks := s.read(t)
		got := map[string]int{}
		c := New("books", Func(func(_ context.Context, req Request) (Result, error) { got[req.Name]++; return Result{}, nil }), Options{})
		Watches(c, books, func(b *book) []Request {
			if b.Name == "x" {
				blow()
			}
			return []Request{{Name: b.Name}}
		}, func(_, b *book) bool {
			if b.page == 1 {
				blow()
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
		assert.Equal(t, map[string]int{"y": 3}, got, "the initial one, page 0 and page 2")
		assert.True(t, c.State().Synced)
		stop()
		assert.NoError(t, <-ended)
		stopBooks()
	})
}

// Channel brings keys until it is closed, which ends nothing.
func TestChannel(t *testing.T) {
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

// A function of a trace that ends its goroutine, as FailNow of a test does, costs
// that reconcile.
func TestATraceThatEndsItsGoroutine(t *testing.T) {
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
		atDesk(t, Options{Trace: trace, Backoff: Backoff{Base: time.Second}}, func(d *desk, _ context.Context, req Request) (Result, error) {
			d.note("%v", req)
			return Result{}, nil
		}, func(d *desk) {
			assert.True(t, ended)
			assert.Empty(t, d.c.State().Working, name)
			d.after(2 * time.Second)
			assert.Len(t, d.notes(), 1, name)
			d.put("x", 1)
			assert.Len(t, d.notes(), 1, "%s: the worker goes on", name)
		}, "x")
	}
}

// A change brings the keys of the state before it as well, and what was there at
// the beginning comes as that.
func TestAChangeBringsTheKeysOfBothStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf("x")
		books, stopBooks := s.read(t)
		var queued []string
		c := New("books", Func(func(context.Context, Request) (Result, error) { return Result{}, nil }), Options{
			Trace: &Trace{Queued: func(i TraceInfo, why Reason) { queued = append(queued, i.Request.Name+" "+why.String()) }},
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
