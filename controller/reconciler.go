package controller

import (
	"context"
	"time"
)

// Request is the key of an object to reconcile. It does not say what has changed: read
// the current state from the informers.
type Request struct {
	// Namespace is "" for cluster-scoped objects.
	Namespace, Name string
}

// String returns the key in the form of the informers: "namespace/name", or "name".
func (r Request) String() string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

// Result is returned by a reconcile without an error. The zero value means that the
// key is reconciled again only after a change.
type Result struct {
	// RequeueAfter is the delay after which the key is reconciled again, unless a
	// change enqueues it earlier. This does not count as a retry. 0 means no requeue.
	// A negative value is an error, [ErrRequeueAfter], and the key is retried.
	RequeueAfter time.Duration
}

// Reconciler brings the current state of an object to its desired state.
type Reconciler interface {
	// Reconcile is called with a key, at most once at a time for each key. It reads
	// the object from an informer, where the object may no longer exist, and makes
	// the changes that are missing. It must be idempotent, since it may be called
	// at any time. It is not called once for each change: changes are merged.
	//
	// An error is logged, and the key is retried with backoff; see [TerminalError] for
	// errors that a retry does not fix. ctx carries the logger of the call ([Logger]),
	// tracks the writes that are made with it, and ends when the controller must stop.
	Reconcile(ctx context.Context, req Request) (Result, error)
}

// Func adapts a function to the Reconciler interface.
type Func func(ctx context.Context, req Request) (Result, error)

// Reconcile calls f.
func (f Func) Reconcile(ctx context.Context, req Request) (Result, error) { return f(ctx, req) }
