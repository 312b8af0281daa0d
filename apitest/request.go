package apitest

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// maxLoggedRequests bounds the log of requests.
const maxLoggedRequests = 10_000

// Request is an entry of the log of requests.
type Request struct {
	// Method, Path and Query as received.
	Method, Path, Query string
	// Verb is get, list, watch, create, update, patch, delete or deletecollection;
	// for other paths than resources, the method in lower case.
	Verb                                             string
	Group, Version, Resource, Subresource, Namespace string
	Name                                             string
	// User of the request, once it is authenticated. Faults that act earlier leave
	// it empty.
	User      User
	UserAgent string
	// Code of the response; 0 while there is none, and if a fault has aborted the
	// request.
	Code int
	// Start is when the request was received. Duration is the time to the last
	// byte of the response, 0 while it is running.
	Start    time.Time
	Duration time.Duration
	// Running reports whether the response has not ended, as for an open watch.
	Running bool
}

// Parameter returns the first query parameter of a name.
func (r Request) Parameter(name string) string {
	values, err := url.ParseQuery(r.Query)
	if err != nil {
		return ""
	}
	return values.Get(name)
}

// String returns a line: "GET /api/v1/pods?watch=true 200".
func (r Request) String() string {
	address := r.Path
	if r.Query != "" {
		address += "?" + r.Query
	}
	state := "no response"
	switch {
	case r.Code != 0 && r.Running:
		state = fmt.Sprintf("%d, running", r.Code)
	case r.Code != 0:
		state = fmt.Sprint(r.Code)
	case r.Running:
		state = "running"
	}
	return r.Method + " " + address + " " + state
}

// requestLog keeps the newest requests.
type requestLog struct {
	mu sync.Mutex
	// ring holds the requests. Once it is full, the oldest is at next.
	ring []*Request
	next int
	// changed is raised when a request begins, and when an entry changes.
	changed storage.Signal
}

func (l *requestLog) begin(r *Request) {
	r.Start, r.Running = time.Now(), true
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.ring) < maxLoggedRequests {
		l.ring = append(l.ring, r)
	} else {
		l.ring[l.next] = r
		l.next = (l.next + 1) % maxLoggedRequests
	}
	l.changed.Raise()
}

// setCode sets the first final code of a response.
func (l *requestLog) setCode(r *Request, code int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Code == 0 && code >= 200 {
		r.Code = code
		l.changed.Raise()
	}
}

func (l *requestLog) codeOf(r *Request) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return r.Code
}

func (l *requestLog) setUser(r *Request, user User) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.User = user
	l.changed.Raise()
}

func (l *requestLog) end(r *Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.Duration, r.Running = time.Since(r.Start), false
	l.changed.Raise()
}

// all returns a copy of the log, oldest first.
func (l *requestLog) all() (all []Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.ring {
		all = append(all, *l.ring[(l.next+i)%len(l.ring)])
	}
	return all
}

// nextChange returns a channel that is closed when the log changes.
func (l *requestLog) nextChange() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed.Wait()
}

func (l *requestLog) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ring, l.next = nil, 0
}

// Requests returns the matching requests, oldest first. The log keeps the
// newest 10,000 requests.
func (s *Server) Requests(match Match) (found []Request) {
	for _, r := range s.requests.all() {
		if match.matches(&r) {
			found = append(found, r)
		}
	}
	return found
}

// WaitForRequests waits until n matching requests have been received, including
// those before the call. They need not have a response unless the Filter of the
// match requires it. The error contains the last requests.
func (s *Server) WaitForRequests(ctx context.Context, match Match, n int) error {
	for {
		wake := s.requests.nextChange()
		found := len(s.Requests(match))
		if found >= n {
			return nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return fmt.Errorf("apitest: wait for %d requests (%s): %d received; last requests: %s: %w", n, match, found, s.lastRequests(), ctx.Err())
		case <-s.ctx.Done():
			return fmt.Errorf("apitest: wait for %d requests (%s): %d received before the server was closed", n, match, found)
		}
	}
}

// ForgetRequests clears the log and the counts of [Server.Traffic], so that a test
// can count from then on.
func (s *Server) ForgetRequests() {
	s.requests.forget()
	s.traffic.forget()
}

// lastRequests returns the newest entries for a failure message.
func (s *Server) lastRequests() string {
	all := s.requests.all()
	all = all[max(0, len(all)-10):]
	lines := make([]string, len(all))
	for i, r := range all {
		lines[i] = r.String()
	}
	if len(lines) == 0 {
		return "none"
	}
	return strings.Join(lines, "; ")
}

// Match selects requests. An empty field matches any value; the zero value
// matches every request.
type Match struct {
	// Verb is get, list, watch, create, update, patch, delete or deletecollection;
	// for other paths than resources, the method in lower case.
	Verb string
	// Group of the resource; "core" is the group without a name.
	Group                 string
	Resource, Subresource string
	// Namespace and Name of the object, or of the listed objects. A list of all
	// namespaces has no namespace, and matches only if this is empty.
	Namespace, Name string
	// Path is a prefix of the path.
	Path string
	// UserAgent is a substring of the User-Agent header. It distinguishes the
	// clients of a test.
	UserAgent string
	// Filter is called last, if all else matches.
	Filter func(Request) bool
}

func (m Match) matches(r *Request) bool {
	group := r.Group
	if m.Group == "core" && r.Resource != "" && group == "" {
		group = "core"
	}
	for _, field := range [...][2]string{
		{m.Verb, r.Verb}, {m.Group, group}, {m.Resource, r.Resource}, {m.Subresource, r.Subresource},
		{m.Namespace, r.Namespace}, {m.Name, r.Name},
	} {
		if field[0] != "" && field[0] != field[1] {
			return false
		}
	}
	return strings.HasPrefix(r.Path, m.Path) &&
		strings.Contains(r.UserAgent, m.UserAgent) &&
		(m.Filter == nil || m.Filter(*r))
}

// String describes the match: "watch pods in namespace a".
func (m Match) String() string {
	words := []string{m.Verb}
	if m.Verb == "" {
		words[0] = "any"
	}
	resource := m.Resource
	if m.Subresource != "" {
		resource += "/" + m.Subresource
	}
	switch {
	case resource != "" && m.Group != "":
		words = append(words, resource+"."+m.Group)
	case resource != "":
		words = append(words, resource)
	case m.Group != "":
		words = append(words, "resource of "+m.Group)
	case m.Verb == "":
		words = append(words, "request")
	}
	for _, field := range [...][2]string{
		{"named %s", m.Name}, {"in namespace %s", m.Namespace}, {"below %s", m.Path}, {"by %q", m.UserAgent},
	} {
		if field[1] != "" {
			words = append(words, fmt.Sprintf(field[0], field[1]))
		}
	}
	if m.Filter != nil {
		words = append(words, "where a function returns true")
	}
	return strings.Join(words, " ")
}
