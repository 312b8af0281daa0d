package controller

import (
	"runtime/debug"
	"sync/atomic"
	"time"
)

// counts of all runs.
type counts struct{ reconciles, errors, panics, retries atomic.Uint64 }

func (n *counts) into(s *State) {
	s.Reconciles, s.Errors, s.Panics, s.Retries = n.reconciles.Load(), n.errors.Load(), n.panics.Load(), n.retries.Load()
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
	if r.ctx.Err() != nil || r.lease.Err() != nil || r.gate.holds(req) || !r.troubles.begins(req) {
		return
	}
	job := &reconciling{run: r, request: req, began: time.Now()}
	if t := r.c.options.ReconcileTimeout; t > 0 {
		job.deadline = job.began.Add(t)
	}
	w.job.Store(job)
	defer w.job.Store(nil)
	outcome := unfinished
	defer func() {
		if p := recover(); p != nil {
			outcome = panicked(&panicError{value: p, stack: debug.Stack()})
		}
		job.end()
		r.gate.settle(job)
		r.settle(job, outcome)
	}()
	r.tellStarted(req)
	outcome = returned(r.c.reconciler.Reconcile(job, req))
}
