package rest

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Trace has functions that are called for requests, like net/http/httptrace. They
// are called on the goroutine of the request, must not block, and may be called
// concurrently for different requests. A nil Trace or function is skipped.
//
// A Trace set by [WithTrace] applies to the requests of that context, and
// [Config].Trace to all requests of the client. If both are set, both are called,
// the client's first.
type Trace struct {
	// RequestStart is called before each attempt is sent.
	RequestStart func(RequestInfo)
	// RequestDone is called when an attempt has received a response header or has
	// failed: in the latter case Err is the transport's error and Status is 0.
	RequestDone func(RequestInfo, ResponseInfo)
	// Retry is called before the wait for another attempt.
	Retry func(info RequestInfo, wait time.Duration, cause error)
	// RateLimited is called after a wait for the rate limiter.
	RateLimited func(info RequestInfo, waited time.Duration)
	// Wrote is called after each write that the server has accepted.
	Wrote func(WriteInfo)
}

// RequestInfo describes a request. Path has no query.
type RequestInfo struct {
	// Verb is the API verb: get, list, watch, create, update, patch, delete,
	// deletecollection; for other requests the HTTP method in lower case.
	Verb string
	schema.GroupVersionResource
	Namespace, Name, SubResource string
	Method, Path                 string
	// Attempt counts from 1.
	Attempt int
}

// ResponseInfo is the result of an attempt.
type ResponseInfo struct {
	Status int
	Err    error
	// Latency is the time until the response header or the failure.
	Latency time.Duration
}

// WriteInfo is an object as the server has stored it, or a deletion that the server
// has accepted. For a deletecollection only Resource, Namespace and Verb are set.
type WriteInfo struct {
	// Host is the server, in the form that View.Host returns.
	Host                         string
	Resource                     schema.GroupVersionResource
	Namespace, Name, SubResource string
	UID                          types.UID
	ResourceVersion              string
	// Labels are the labels of the stored object: empty and not nil if it has none,
	// nil if the response does not have them.
	Labels map[string]string
	// Verb is create, update, patch, delete or deletecollection.
	Verb string
	// Created is set if the write created the object: a create, or the Apply of an
	// object that did not exist.
	Created bool
	// Deleted is set if the write was not a deletion but completed one, such as
	// the removal of the last finalizer. The object no longer exists, and
	// ResourceVersion is a version that it had before.
	Deleted bool
}

type traceKey struct{}

// WithTrace returns a context whose requests call t. Existing traces in ctx are
// called before t.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	if t == nil {
		return ctx
	}
	before, _ := ctx.Value(traceKey{}).(traces)
	return context.WithValue(ctx, traceKey{}, append(before[:len(before):len(before)], t))
}

// traces are called in their order.
type traces []*Trace

// tracesOf returns the traces for a request with this context.
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

func (ts traces) wrote(w WriteInfo) {
	for _, t := range ts {
		if t.Wrote != nil {
			t.Wrote(w)
		}
	}
}
