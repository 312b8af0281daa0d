package controller

import (
	"context"
	"time"
)

// Request is the key of the object that is to be looked at. It says nothing of
// what has happened to it: what is there now is what counts, and the informers
// have it.
type Request struct {
	// Namespace is "" for what is not in namespaces.
	Namespace, Name string
}

// String is the key as informers have it: "namespace/name", or "name".
func (r Request) String() string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

// Result is what a reconcile without an error asks for. The zero value asks for
// nothing: the key comes again when something has changed.
type Result struct {
	// RequeueAfter is when the key is to come again if nothing changes before,
	// which does not count as a retry. 0: not.
	RequeueAfter time.Duration
}

// Reconciler makes what is there into what was asked for.
type Reconciler interface {
	// Reconcile is called with a key, at most once at a time for each. It reads
	// the object of that key from an informer, where it may be gone, and does
	// what is missing. It must expect to be called again at any time, and not
	// to be called for each change.
	//
	// An error is logged, and the key comes again, later each time; see
	// [TerminalError] for those that repeating does not mend. ctx carries the
	// logger of the call ([Logger]), reports what is written with it, and ends
	// when the controller has to stop.
	Reconcile(ctx context.Context, req Request) (Result, error)
}

// Func is a function as a Reconciler.
type Func func(ctx context.Context, req Request) (Result, error)

// Reconcile calls f.
func (f Func) Reconcile(ctx context.Context, req Request) (Result, error) { return f(ctx, req) }
