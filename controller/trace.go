package controller

import (
	"fmt"
	"runtime/debug"
	"time"
)

// Trace is a set of functions that are called at each step of a key through the
// controller. They are called synchronously, by several goroutines at once and without
// a lock held, and must not block. A nil function is skipped at no cost. If a function
// panics, the panic is logged and affects nothing else.
type Trace struct {
	// Queued is called when a key is enqueued, also if it is already in the queue.
	// TraceInfo.Cause is the change.
	Queued func(TraceInfo, Reason)
	// Started is called before Reconcile, Ended after it has returned or panicked.
	Started func(TraceInfo)
	Ended   func(TraceInfo, Result, error, time.Duration)
	// Retried is called when a key has failed with err and is requeued with a delay.
	Retried func(info TraceInfo, wait time.Duration, err error)
	// Quarantined is called when a key has panicked too often, last with err, and will
	// be reconciled again only after a change.
	Quarantined func(info TraceInfo, err error)
	// Stale is called when a key has waited for its own writes for WriteTimeout.
	Stale func(TraceInfo, *StaleError)
}

// TraceInfo is passed to the functions of a Trace.
type TraceInfo struct {
	Controller string
	Request    Request
	// Cause is the change that has enqueued the key: the informer, the key of the object,
	// and created, updated or deleted, such as "secrets shop/tls updated". The initial
	// reason has no event. Only Queued has it, and it is empty if there is no change, or
	// if it is not known any more.
	Cause string
}

// Reason is why a key was enqueued. It determines the priority.
type Reason uint8

// The reasons in order of priority, highest first. A key that has waited too long
// takes precedence, so that none starves.
const (
	// ReasonChanged: an informer reported a change, or the key was received from a
	// Channel.
	ReasonChanged Reason = iota
	// ReasonInitial: the object existed when the controller started.
	ReasonInitial
	// ReasonResync: the resync enqueued the key without a change.
	ReasonResync
)

// String returns the name in lower case.
func (r Reason) String() string {
	switch r {
	case ReasonChanged:
		return "changed"
	case ReasonInitial:
		return "initial"
	case ReasonResync:
		return "resync"
	}
	return fmt.Sprintf("Reason(%d)", uint8(r))
}

// priority returns the priority in the queue.
func (r Reason) priority() int { return -10 * int(r) }

func (r *run) info(req Request) TraceInfo { return TraceInfo{Controller: r.c.name, Request: req} }

// callTrace calls a function of the trace and recovers from a panic.
func (r *run) callTrace(hook func()) {
	defer func() {
		if p := recover(); p != nil {
			r.logger.Error("A trace function panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	hook()
}

// tracesQueued reports whether the Trace needs the causes.
func (r *run) tracesQueued() bool {
	t := r.c.options.Trace
	return t != nil && t.Queued != nil
}

func (r *run) traceQueued(req Request, reason Reason, cause string) {
	if r.tracesQueued() {
		info := r.info(req)
		info.Cause = cause
		r.callTrace(func() { r.c.options.Trace.Queued(info, reason) })
	}
}

func (r *run) traceStarted(req Request) {
	if t := r.c.options.Trace; t != nil && t.Started != nil {
		r.callTrace(func() { t.Started(r.info(req)) })
	}
}

func (r *run) traceEnded(job *reconcileContext, o outcome) {
	if t := r.c.options.Trace; t != nil && t.Ended != nil {
		took := time.Since(job.began)
		r.callTrace(func() { t.Ended(r.info(job.request), o.result, o.err, took) })
	}
}

func (r *run) traceFailed(req Request, v retryDecision, err error) {
	t := r.c.options.Trace
	switch {
	case t == nil:
	case v.quarantined && t.Quarantined != nil:
		r.callTrace(func() { t.Quarantined(r.info(req), err) })
	case !v.quarantined && t.Retried != nil:
		r.callTrace(func() { t.Retried(r.info(req), v.wait, err) })
	}
}
