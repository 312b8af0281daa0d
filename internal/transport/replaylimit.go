package transport

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// maxHandshakes bounds the TLS connections that are opened for one request. A
// server closes connections in normal operation, and net/http then sends the
// request on another one, without a bound, a wait or a report. A server that closes
// every connection has failed.
const maxHandshakes = 8

// errGoAway is the error of a request that has reached maxHandshakes.
var errGoAway = errors.New("the server closes every HTTP/2 connection before it responds (GOAWAY)")

// replays bounds how often net/http resends a request on its own.
//
// It counts the connections that are opened, not the attempts: for a moment after
// the loss of an HTTP/2 connection, net/http finds that connection in its pool, and
// looks for another one some dozen times within microseconds. HTTP/1.1 is bounded
// already: net/http resends a request only after using an idle connection.
type replays struct {
	opened atomic.Int32
	cancel context.CancelCauseFunc
}

// limitReplays returns the request with a context that ends when the bound is
// reached. end releases the context; it is called when the response has ended.
func limitReplays(request *http.Request) (bounded *http.Request, r *replays, end func()) {
	ctx, cancel := context.WithCancelCause(request.Context())
	r = &replays{cancel: cancel}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{TLSHandshakeStart: r.handshakeStarted})
	return request.WithContext(ctx), r, func() { cancel(nil) }
}

// handshakeStarted is called by the goroutine that dials.
func (r *replays) handshakeStarted() {
	if r.opened.Add(1); r.exceeded() {
		r.cancel(errGoAway)
	}
}

func (r *replays) exceeded() bool { return r.opened.Load() > maxHandshakes }
