package apitest

import (
	"net/http"
	"runtime/debug"

	"github.com/thinformer/thinformer/apitest/internal/listener"
	"github.com/thinformer/thinformer/apitest/internal/params"
)

// ServeHTTP responds to a request. It allows mounting the server in another
// one. After Close it aborts the connection.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &responseWriter{ResponseWriter: w, log: s.requests, request: describe(r)}
	if !s.active.BeginRequest() {
		panic(http.ErrAbortHandler)
	}
	s.requests.begin(out.request)
	s.countRequest(out.request, r)
	// Deferred, since a handler aborts the connection by a panic. It is a single
	// deferred call because watches wait on this frame, whose size decides whether
	// their stack is 4 KB or 8 KB.
	defer s.finishRequest(out, r)
	if o := s.outages.current.Load(); o != nil && s.serveOutage(o, out, r) {
		return
	}
	if apply := s.faults.matching(out.request); apply != nil {
		s.serveWithFaults(apply, out, r)
		return
	}
	if events := s.begin(out, r); events != nil {
		events()
	}
}

// countRequest counts a received request. It is not inlined, to keep the frame
// on which watches wait small.
//
//go:noinline
func (s *Server) countRequest(request *Request, r *http.Request) {
	conn := listener.ConnectionOf(r.Context())
	s.traffic.received(request, conn != nil && conn.Lost.CompareAndSwap(true, false))
}

// finishRequest ends a request, which may have panicked.
func (s *Server) finishRequest(out *responseWriter, r *http.Request) {
	recovered := recover()
	if recovered != nil && recovered != http.ErrAbortHandler {
		recovered = s.recoverPanic(out, r, recovered)
	}
	s.requests.end(out.request)
	s.active.EndRequest()
	if recovered != nil {
		panic(recovered) // intended: it aborts the connection
	}
}

// recoverPanic responds for a handler that has panicked. It logs the panic of a
// hook, which must not look like the end of a watch. It returns the value to
// panic with instead, if any.
func (s *Server) recoverPanic(out *responseWriter, r *http.Request, recovered any) (instead any) {
	s.options.logger().Error("apitest: panic in a handler", "method", r.Method, "path", r.URL.Path, "panic", recovered, "stack", string(debug.Stack()))
	if out.started() {
		return http.ErrAbortHandler
	}
	http.Error(out, "This request caused apiserver to panic. Look in the logs for details.", http.StatusInternalServerError)
	return nil
}

// describe returns the fields of a request that the log and the faults use.
// They depend on its first line only.
func describe(r *http.Request) *Request {
	req := &Request{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, UserAgent: r.UserAgent(),
		Verb: params.MethodVerb(r.Method),
	}
	at, ok := params.ParsePath(r.URL.Path)
	if !ok {
		return req
	}
	req.Verb = params.VerbOf(r, at, r.URL.Query())
	req.Group, req.Version, req.Resource = at.Group, at.Version, at.Resource
	req.Subresource, req.Namespace, req.Name = at.Subresource, at.Namespace, at.Name
	return req
}

// responseWriter is the writer of every response. The log learns the code from
// it, and faults change the bytes that pass.
type responseWriter struct {
	http.ResponseWriter
	log     *requestLog
	request *Request
}

// WriteHeader implements http.ResponseWriter.
func (w *responseWriter) WriteHeader(code int) {
	w.log.setCode(w.request, code)
	w.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (w *responseWriter) Write(p []byte) (int, error) {
	w.log.setCode(w.request, http.StatusOK)
	return w.ResponseWriter.Write(p)
}

// started reports whether the response has begun and can no longer be replaced.
func (w *responseWriter) started() bool { return w.log.codeOf(w.request) != 0 }

// setUser records the user of the request in the log.
func (w *responseWriter) setUser(user User) { w.log.setUser(w.request, user) }

// Flush implements http.Flusher.
func (w *responseWriter) Flush() { _ = w.FlushError() }

// FlushError is called by http.ResponseController.
func (w *responseWriter) FlushError() error {
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap is called by http.ResponseController.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// recordUser records in the log the user of the request that w responds to.
func recordUser(w http.ResponseWriter, user User) {
	if out, ok := w.(interface{ setUser(User) }); ok {
		out.setUser(user)
	}
}
