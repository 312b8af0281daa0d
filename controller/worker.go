package controller

import (
	"errors"
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

// A worker reconciles one key after another.
type worker struct {
	run *run
	// job is what it has in work, nil if nothing.
	job atomic.Pointer[reconciling]
}

// work until the queue is shut down.
func (w *worker) work() {
	ended := false
	defer func() {
		if !ended { // a reconcile has taken the goroutine with it
			w.run.workers.Go(w.work)
		}
	}()
	for {
		req, shutdown := w.run.queue.Get()
		if shutdown {
			ended = true
			return
		}
		w.one(req)
	}
}

// one reconciles a key, unless it is not its time.
func (w *worker) one(req Request) {
	r := w.run
	defer r.queue.Done(req)
	if r.ctx.Err() != nil || r.gate.holds(req) {
		return
	}
	job := &reconciling{run: r, request: req, began: time.Now()}
	if t := r.c.options.ReconcileTimeout; t > 0 {
		job.deadline = job.began.Add(t)
	}
	w.job.Store(job)
	outcome := outcome{err: errGoexit}
	defer func() {
		if p := recover(); p != nil {
			outcome.err = &panicError{value: p, stack: debug.Stack()}
		}
		w.job.Store(nil)
		job.end()
		r.gate.settle(job)
		r.settle(job, outcome)
	}()
	outcome.result, outcome.err = r.c.reconciler.Reconcile(job, req)
}

// outcome is how a reconcile has ended.
type outcome struct {
	result Result
	err    error
}

// errGoexit: the goroutine was ended from within, as FailNow of a test does.
var errGoexit = &panicError{value: "the goroutine was ended (runtime.Goexit)"}

// panicError is a reconcile that panicked.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// settle says when the key is to come again.
func (r *run) settle(job *reconciling, o outcome) {
	req := job.request
	r.c.counts.reconciles.Add(1)
	var panicked *panicError
	if errors.As(o.err, &panicked) {
		r.c.counts.panics.Add(1)
	}
	switch {
	case o.err == nil:
		r.queue.Forget(req)
		if o.result.RequeueAfter > 0 {
			r.queue.AddAfter(req, o.result.RequeueAfter)
		}
	case isTerminal(o.err):
		r.c.counts.errors.Add(1)
		r.queue.Forget(req)
		job.logger().Error("Reconciling has failed, and is not repeated", "err", o.err)
	default:
		r.c.counts.errors.Add(1)
		job.logger().Error("Reconciling has failed", "err", o.err)
		r.queue.AddRateLimited(req)
	}
}
