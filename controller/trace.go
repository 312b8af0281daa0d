package controller

import (
	"fmt"
	"runtime/debug"
	"time"
)

// Trace is a set of functions that are told of a key's way through a
// controller, each where it happens: they must not block. Any of them may be nil,
// and costs nothing then. They are called by several goroutines at once, without
// a lock held. One that panics is logged, and costs nothing else.
type Trace struct {
	// Queued: a key was put in line. One that is there already is told as well,
	// and comes once.
	Queued func(TraceInfo, Reason)
	// Started: Reconcile is called. Ended: it has returned, or panicked.
	Started func(TraceInfo)
	Ended   func(TraceInfo, Result, error, time.Duration)
	// Retried: it has failed with err, and comes again after the wait.
	Retried func(info TraceInfo, wait time.Duration, err error)
	// Quarantined: it has panicked too often, with err at last, and comes when it
	// has changed.
	Quarantined func(info TraceInfo, err error)
	// Stale: the key waits for what it has written, for WriteTimeout by now.
	Stale func(TraceInfo, *StaleError)
}

// TraceInfo says what a function of a Trace is told of.
type TraceInfo struct {
	Controller string
	Request    Request
}

// Reason is why a key was put in line, which decides what goes first.
type Reason uint8

// The reasons, in the order in which keys go first. What waits for long is
// overdue and gets its turn, so that none starves.
const (
	// ReasonChanged: an informer has told of a change, or a Channel has brought it.
	ReasonChanged Reason = iota
	// ReasonInitial: it was there when the controller began.
	ReasonInitial
	// ReasonSwept: nothing has happened, and the sweep has come by.
	ReasonSwept
)

// String is the name in lower case.
func (r Reason) String() string {
	switch r {
	case ReasonChanged:
		return "changed"
	case ReasonInitial:
		return "initial"
	case ReasonSwept:
		return "swept"
	}
	return fmt.Sprintf("Reason(%d)", uint8(r))
}

// priority in the queue.
func (r Reason) priority() int { return -10 * int(r) }

func (r *run) info(req Request) TraceInfo { return TraceInfo{Controller: r.c.name, Request: req} }

// tell calls a function of the trace.
func (r *run) tell(hook func()) {
	defer func() {
		if p := recover(); p != nil {
			r.logger.Error("A trace function has panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	hook()
}

func (r *run) tellQueued(req Request, why Reason) {
	if t := r.c.options.Trace; t != nil && t.Queued != nil {
		r.tell(func() { t.Queued(r.info(req), why) })
	}
}

func (r *run) tellStarted(req Request) {
	if t := r.c.options.Trace; t != nil && t.Started != nil {
		r.tell(func() { t.Started(r.info(req)) })
	}
}

func (r *run) tellEnded(job *reconciling, o outcome) {
	if t := r.c.options.Trace; t != nil && t.Ended != nil {
		took := time.Since(job.began)
		r.tell(func() { t.Ended(r.info(job.request), o.result, o.err, took) })
	}
}

func (r *run) tellFailed(req Request, v verdict, err error) {
	t := r.c.options.Trace
	switch {
	case t == nil:
	case v.quarantined && t.Quarantined != nil:
		r.tell(func() { t.Quarantined(r.info(req), err) })
	case !v.quarantined && t.Retried != nil:
		r.tell(func() { t.Retried(r.info(req), v.wait, err) })
	}
}
