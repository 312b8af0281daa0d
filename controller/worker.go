package controller

import (
	"runtime/debug"
	"sync/atomic"
	"time"
)

// counts are totals over all runs.
type counts struct{ reconciles, errors, panics, retries atomic.Uint64 }

func (n *counts) fill(s *State) {
	s.Reconciles, s.Errors, s.Panics, s.Retries = n.reconciles.Load(), n.errors.Load(), n.panics.Load(), n.retries.Load()
}

// worker reconciles one key after another.
type worker struct {
	run *run
	// job is the reconcile in progress, nil if there is none.
	job atomic.Pointer[reconcileContext]
}

// work processes keys until the queue is shut down.
func (w *worker) work() {
	ended := false
	defer func() {
		if !ended { // a reconcile has ended the goroutine
			w.run.goroutines.Go(w.work)
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

// one reconciles a key, unless it must not be reconciled now.
func (w *worker) one(req Request) {
	r := w.run
	defer r.queue.Done(req)
	if r.ctx.Err() != nil || r.leading.Err() != nil || r.gate.holds(req) || !r.retries.mayStart(req) {
		return
	}
	job := &reconcileContext{run: r, request: req, began: time.Now()}
	if t := r.c.options.ReconcileTimeout; t > 0 {
		job.deadline = job.began.Add(t)
	}
	w.job.Store(job)
	defer w.job.Store(nil)
	outcome := goexitOutcome
	defer func() {
		if p := recover(); p != nil {
			outcome = panickedOutcome(&panicError{value: p, stack: debug.Stack()})
		}
		job.end()
		if t := r.tracking(); t != nil {
			t.end(job, outcome.err == nil)
		}
		r.gate.reconcileEnded(job)
		r.finish(job, outcome)
	}()
	r.traceStarted(req)
	if t := r.tracking(); t != nil {
		t.begin(job)
	}
	r.queue.ClearDirty(req) // Reconcile reads what has been enqueued since Get
	outcome = returnedOutcome(r.c.reconciler.Reconcile(job, req))
}
