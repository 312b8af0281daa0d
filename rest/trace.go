package rest

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Trace is told what requests do, in the manner of net/http/httptrace: set the
// functions that are of interest. They are called on the goroutine of the
// request, must not block, and may be called at the same time for different
// requests. A nil Trace, or a nil function, costs nothing.
//
// It is set for one context by [WithTrace], or for all of a client's requests
// in [Config]; when both are, both are told, the client's first.
type Trace struct {
	// RequestStart is called before each attempt is sent.
	RequestStart func(RequestInfo)
	// RequestDone is called when an attempt's response has begun, or the
	// attempt has failed: Err is the transport's error, Status is 0 then.
	RequestDone func(RequestInfo, ResponseInfo)
	// Retry is called before the wait for another attempt.
	Retry func(info RequestInfo, wait time.Duration, cause error)
	// RateLimited is called after the client's own limiter has held a request
	// back.
	RateLimited func(info RequestInfo, waited time.Duration)
	// Wrote is called after each write that the server has accepted.
	Wrote func(Written)
}

// RequestInfo is a request as the API sees it. Path carries no query.
type RequestInfo struct {
	// Verb of the API: get, list, watch, create, update, patch, delete,
	// deletecollection; for other requests the HTTP method in lower case.
	Verb string
	schema.GroupVersionResource
	Namespace, Name, SubResource string
	Method, Path                 string
	// Attempt counts from 1.
	Attempt int
}

// ResponseInfo is how an attempt went.
type ResponseInfo struct {
	Status int
	Err    error
	// Latency until the response's header, or until the failure.
	Latency time.Duration
}

// Written is an object as the server has stored it, or a deletion that the
// server has accepted. Of a deletecollection only Resource, Namespace and Verb
// are known.
type Written struct {
	Resource                     schema.GroupVersionResource
	Namespace, Name, SubResource string
	UID                          types.UID
	ResourceVersion              string
	// Verb is create, update, patch, delete or deletecollection.
	Verb string
	// Gone: the write was not a deletion, and yet the last thing that a deletion
	// waited for, as the removal of the last finalizer is. The object is not there
	// any more, and ResourceVersion is one that it had before.
	Gone bool
}

type traceKey struct{}

// WithTrace returns a context whose requests report to t. Traces add up: those
// that are in ctx already are told as well, before t.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	if t == nil {
		return ctx
	}
	before, _ := ctx.Value(traceKey{}).(traces)
	return context.WithValue(ctx, traceKey{}, append(before[:len(before):len(before)], t))
}

// traces are told in their order.
type traces []*Trace

// tracesOf are those that a request with this context reports to.
func tracesOf(ctx context.Context, client *Trace) traces {
	inContext, _ := ctx.Value(traceKey{}).(traces)
	if client == nil {
		return inContext
	}
	return append(traces{client}, inContext...)
}

func (ts traces) requestStart(info RequestInfo) {
	for _, t := range ts {
		if t.RequestStart != nil {
			t.RequestStart(info)
		}
	}
}

func (ts traces) requestDone(info RequestInfo, response ResponseInfo) {
	for _, t := range ts {
		if t.RequestDone != nil {
			t.RequestDone(info, response)
		}
	}
}

func (ts traces) retry(info RequestInfo, wait time.Duration, cause error) {
	for _, t := range ts {
		if t.Retry != nil {
			t.Retry(info, wait, cause)
		}
	}
}

func (ts traces) rateLimited(info RequestInfo, waited time.Duration) {
	for _, t := range ts {
		if t.RateLimited != nil {
			t.RateLimited(info, waited)
		}
	}
}

func (ts traces) wrote(w Written) {
	for _, t := range ts {
		if t.Wrote != nil {
			t.Wrote(w)
		}
	}
}
