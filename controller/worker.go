package controller

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// counts of all runs.
type counts struct{ reconciles, errors, panics atomic.Uint64 }

func (n *counts) into(s *State) {
	s.Reconciles, s.Errors, s.Panics = n.reconciles.Load(), n.errors.Load(), n.panics.Load()
}

// reconciling is one call of Reconcile, and the context that it is given.
type reconciling struct {
	context.Context
	run     *run
	request Request
}

// Value implements context.Context.
func (r *reconciling) Value(key any) any {
	if key == (loggerKey{}) {
		return r
	}
	return r.Context.Value(key)
}

// work is what a worker does until the queue is shut down.
func (r *run) work() {
	for {
		req, shutdown := r.queue.Get()
		if shutdown {
			return
		}
		r.one(req)
	}
}

// one reconciles a key, and says when it is to come again.
func (r *run) one(req Request) {
	defer r.queue.Done(req)
	if r.queue.ShuttingDown() { // what has not begun does not begin
		return
	}
	r.working.Add(1)
	defer r.working.Add(-1)
	result, err := r.call(req)
	r.c.counts.reconciles.Add(1)
	switch {
	case err == nil:
		r.queue.Forget(req)
		if result.RequeueAfter > 0 {
			r.queue.AddAfter(req, result.RequeueAfter)
		}
	case isTerminal(err):
		r.c.counts.errors.Add(1)
		r.queue.Forget(req)
		r.logger.Error("Reconciling has failed, and is not repeated", "key", req.String(), "err", err)
	default:
		r.c.counts.errors.Add(1)
		r.logger.Error("Reconciling has failed", "key", req.String(), "err", err)
		r.queue.AddRateLimited(req)
	}
}

// call calls the Reconciler; a panic is an error.
func (r *run) call(req Request) (result Result, err error) {
	ctx := &reconciling{Context: r.base, run: r, request: req}
	info := TraceInfo{Controller: r.c.name, Request: req}
	t, begun := r.c.options.Trace, time.Time{}
	if t != nil {
		begun = time.Now()
		if t.Started != nil {
			t.Started(info)
		}
	}
	defer func() {
		if p := recover(); p != nil {
			r.c.counts.panics.Add(1)
			err = fmt.Errorf("controller %s: reconciling %s panicked: %v\n%s", r.c.name, req, p, debug.Stack())
		}
		if t != nil && t.Ended != nil {
			t.Ended(info, result, err, time.Since(begun))
		}
	}()
	return r.c.reconciler.Reconcile(ctx, req)
}
