package apitest

import (
	"net/http"
	"runtime/debug"
)

// ServeHTTP answers a request. A server can be mounted in another one by it.
// One that is closed breaks the connection off.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &answer{ResponseWriter: w, log: s.requests, request: describe(r)}
	if !s.guests.enter() {
		panic(http.ErrAbortHandler)
	}
	s.requests.begin(out.request)
	// Deferred, for a handler that breaks the connection off does so by a panic;
	// and one for everything, since watches wait on this frame, which decides
	// whether their stack has 4 KB or 8.
	defer s.leave(out, r)
	if apply := s.faults.of(out.request); apply != nil {
		s.serveWith(apply, out, r)
		return
	}
	if events := s.begin(out, r); events != nil {
		events()
	}
}

// leave is the end of a request, which may be a panic.
func (s *Server) leave(out *answer, r *http.Request) {
	what := recover()
	if what != nil && what != http.ErrAbortHandler {
		what = s.apologize(out, r, what)
	}
	s.requests.end(out.request)
	s.guests.leave()
	if what != nil {
		panic(what) // to break the connection off is what is meant
	}
}

// apologize answers for a handler that has panicked: a hook's panic is told of,
// and does not look like the end of a watch. It returns what is to be panicked
// with instead, if anything.
func (s *Server) apologize(out *answer, r *http.Request, what any) (instead any) {
	s.options.logger().Error("apitest: a request made the server panic", "method", r.Method, "path", r.URL.Path, "panic", what, "stack", string(debug.Stack()))
	if out.begun() {
		return http.ErrAbortHandler
	}
	http.Error(out, "This request caused apiserver to panic. Look in the logs for details.", http.StatusInternalServerError)
	return nil
}

// describe is what the log and the faults know about a request: what its first
// line says.
func describe(r *http.Request) *Request {
	req := &Request{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, UserAgent: r.UserAgent(),
		Verb: methodVerb(r.Method),
	}
	at, ok := parsePath(r.URL.Path)
	if !ok {
		return req
	}
	req.Verb = verbOf(r, at, r.URL.Query())
	req.Group, req.Version, req.Resource = at.Group, at.Version, at.Resource
	req.Subresource, req.Namespace, req.Name = at.subresource, at.namespace, at.name
	return req
}

// answer is the way out for every answer: the log learns the code from it, and
// faults change what passes.
type answer struct {
	http.ResponseWriter
	log     *requestLog
	request *Request
}

// WriteHeader is of http.ResponseWriter.
func (a *answer) WriteHeader(code int) {
	a.log.answered(a.request, code)
	a.ResponseWriter.WriteHeader(code)
}

// Write is of http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	a.log.answered(a.request, http.StatusOK)
	return a.ResponseWriter.Write(p)
}

// begun is whether there is no other answer any more.
func (a *answer) begun() bool { return a.log.codeOf(a.request) != 0 }

// by tells the log who asked.
func (a *answer) by(user User) { a.log.made(a.request, user) }

// Flush is of http.Flusher.
func (a *answer) Flush() { _ = a.FlushError() }

// FlushError is what http.ResponseController looks for.
func (a *answer) FlushError() error { return http.NewResponseController(a.ResponseWriter).Flush() }

// Unwrap is what http.ResponseController looks for.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// noteUser tells the log who made the request that w answers.
func noteUser(w http.ResponseWriter, user User) {
	if out, ok := w.(interface{ by(User) }); ok {
		out.by(user)
	}
}
