package controller

import "time"

// Trace is a set of functions that are told of a key's way through a
// controller, each where it happens: they must not block. Any of them may be nil,
// and costs nothing then. They are called by several goroutines at once, without
// a lock held.
type Trace struct {
	// Queued: a change of an object has brought a key.
	Queued func(TraceInfo)
	// Started: Reconcile is called. Ended: it has returned, or panicked.
	Started func(TraceInfo)
	Ended   func(TraceInfo, Result, error, time.Duration)
}

// TraceInfo says what a function of a Trace is told of.
type TraceInfo struct {
	Controller string
	Request    Request
}
