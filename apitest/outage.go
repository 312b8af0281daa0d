package apitest

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/apitest/internal/fault"
	"github.com/thinformer/thinformer/apitest/internal/listener"
	"github.com/thinformer/thinformer/apitest/internal/response"
)

// OutageKind is how an outage appears to clients.
type OutageKind int

const (
	// OutageRefused ends all connections and refuses new ones.
	OutageRefused OutageKind = iota
	// OutageReset resets all connections, and each new one once it is accepted.
	OutageReset
	// OutageEOF closes all connections, and each new one once it is accepted.
	OutageEOF
	// OutageHalfOpen keeps all connections and accepts new ones, but reads and
	// writes nothing. When the outage ends, the connections continue, including
	// the data that was held back.
	OutageHalfOpen
	// OutageTruncated ends all connections. Each later request gets a header and
	// half of the body; a watch breaks off in its first event.
	OutageTruncated
	// OutageUnavailable ends all connections. Each later request gets a 503.
	OutageUnavailable
	// OutageTooManyRequests ends all connections. Each later request gets a 429.
	OutageTooManyRequests
)

// String returns a short name of the kind.
func (k OutageKind) String() string {
	switch k {
	case OutageRefused:
		return "refused"
	case OutageReset:
		return "reset"
	case OutageEOF:
		return "EOF"
	case OutageHalfOpen:
		return "half-open"
	case OutageTruncated:
		return "truncated"
	case OutageUnavailable:
		return "503"
	case OutageTooManyRequests:
		return "429"
	}
	return fmt.Sprintf("OutageKind(%d)", int(k))
}

// Outage is a period in which the whole server is unavailable, for every client
// and every request. [Server.BeginOutage] begins one. To affect single
// requests, use a [Fault].
type Outage struct {
	Kind OutageKind
	// RetryAfter is sent by OutageUnavailable and OutageTooManyRequests, in whole
	// seconds, rounded up. 0 sends no header.
	RetryAfter time.Duration
}

// String returns a short description of the outage: "503 with Retry-After 2".
func (o Outage) String() string {
	if o.RetryAfter > 0 {
		return fmt.Sprintf("%s with Retry-After %d", o.Kind, o.retrySeconds())
	}
	return o.Kind.String()
}

func (o Outage) retrySeconds() int { return int((o.RetryAfter + time.Second - 1) / time.Second) }

// validate returns what is wrong with the outage, "" for nothing.
func (o Outage) validate() string {
	switch responds := o.Kind == OutageUnavailable || o.Kind == OutageTooManyRequests; {
	case o.Kind < 0 || o.Kind > OutageTooManyRequests:
		return "unknown Kind"
	case o.RetryAfter < 0:
		return "RetryAfter must not be negative"
	case o.RetryAfter > 0 && !responds:
		return "RetryAfter requires OutageUnavailable or OutageTooManyRequests"
	}
	return ""
}

// BeginOutage begins an outage. It lasts until the returned function is called;
// further calls of the function have no effect. When outages overlap, the one
// that began last applies, except that a refusal lasts until its own end.
//
// Stored objects stay, and Go access works. After [Server.Compact] during an
// outage, clients that resume get a 410. After [Server.RestartFromBackup], they find
// an older state. BeginOutage panics if the outage is invalid.
func (s *Server) BeginOutage(o Outage) (end func()) {
	if mistake := o.validate(); mistake != "" {
		panic(fmt.Sprintf("apitest: BeginOutage(%s): %s", o, mistake))
	}
	begun := &outage{Outage: o, ended: make(chan struct{})}
	s.outages.begin(begun)
	switch suspended := new(listener.Suspension); o.Kind {
	case OutageRefused:
		s.listener.Suspend(suspended)()
		return sync.OnceFunc(func() {
			s.outages.end(begun)
			s.listener.Resume(suspended)
		})
	case OutageReset:
		s.listener.EachConnection((*listener.Connection).Reset)
	case OutageHalfOpen:
		s.listener.EachConnection(func(c *listener.Connection) { c.Freeze(begun.ended) })
	default:
		s.listener.EachConnection(func(c *listener.Connection) { c.Close() })
	}
	return sync.OnceFunc(func() { s.outages.end(begun) })
}

// outage is an outage that has begun.
type outage struct {
	Outage
	ended chan struct{} // closed when the outage ends
}

// admitConnection counts a new connection, and applies the current outage to it.
// It reports whether the connection is to be served.
func (s *Server) admitConnection(conn *listener.Connection) bool {
	// An outage that begins after this load finds the connection registered.
	o := s.outages.current.Load()
	conn.Lost.Store(o != nil && o.dropsConnections())
	s.traffic.accepted(conn.Lost.Load())
	return o == nil || o.applyTo(conn)
}

// applyTo applies the outage to a new connection, and reports whether the
// connection is still to be served.
func (o *outage) applyTo(c *listener.Connection) bool {
	switch o.Kind {
	case OutageReset:
		c.Reset()
	case OutageEOF:
		c.Close()
	case OutageHalfOpen:
		c.Freeze(o.ended)
		return true
	default:
		return true
	}
	return false
}

// dropsConnections reports whether a connection that is accepted during the
// outage gets no response.
func (o *outage) dropsConnections() bool {
	return o.Kind == OutageReset || o.Kind == OutageEOF || o.Kind == OutageHalfOpen
}

// outages are the outages that have begun and have not ended.
type outages struct {
	// current is the outage that began last; nil if there is none.
	current atomic.Pointer[outage]

	mu  sync.Mutex
	all []*outage // in the order in which they began
}

func (all *outages) begin(o *outage) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.all = append(all.all, o)
	all.current.Store(o)
}

func (all *outages) end(o *outage) {
	all.mu.Lock()
	all.all = slices.DeleteFunc(all.all, func(other *outage) bool { return other == o })
	var newest *outage
	if n := len(all.all); n > 0 {
		newest = all.all[n-1]
	}
	all.current.Store(newest)
	all.mu.Unlock()
	close(o.ended)
}

// serveOutage responds to a request during an outage. It reports false if the
// outage has ended and the request is to be served normally.
func (s *Server) serveOutage(o *outage, out *responseWriter, r *http.Request) bool {
	switch o.Kind {
	case OutageUnavailable:
		response.WriteError(out, r, genericError(http.StatusServiceUnavailable, o.retrySeconds()))
	case OutageTooManyRequests:
		response.WriteError(out, r, genericError(http.StatusTooManyRequests, o.retrySeconds()))
	case OutageTruncated:
		s.serveTruncated(out, r)
	case OutageHalfOpen:
		if listener.ConnectionOf(r.Context()) != nil {
			return false // the connection holds the response back
		}
		select {
		case <-o.ended:
			return false
		case <-r.Context().Done():
		case <-s.ctx.Done():
		}
		panic(http.ErrAbortHandler)
	default:
		// The connection of the request is being ended, or the server is mounted in
		// another one.
		panic(http.ErrAbortHandler)
	}
	return true
}

// serveTruncated sends half of a response, and ends the connection.
func (s *Server) serveTruncated(out *responseWriter, r *http.Request) {
	// net/http closes an HTTP/1 connection, but only resets a stream of HTTP/2.
	if conn := listener.ConnectionOf(r.Context()); conn != nil && r.ProtoMajor == 2 {
		defer func() {
			conn.WaitForWrites()
			conn.Close()
		}()
	}
	if out.request.Verb == "watch" {
		out.Header().Set("Content-Type", "application/json")
		out.WriteHeader(http.StatusOK)
		if _, err := out.Write([]byte(`{"type":"MODIFIED","object":{"kind":"`)); err == nil {
			out.Flush()
		}
		panic(http.ErrAbortHandler)
	}
	half := newChangedResponse(out, true)
	s.serve(half, fault.Uncompressed(r))
	half.Send()
}
