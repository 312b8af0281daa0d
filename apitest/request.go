package apitest

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"
)

// rememberedRequests bounds the log of requests.
const rememberedRequests = 10_000

// Request is one line of the log of requests.
type Request struct {
	// Method, Path and Query as they came.
	Method, Path, Query string
	// Verb is get, list, watch, create, update, patch, delete or
	// deletecollection; for paths that are not of resources the method in small
	// letters.
	Verb                                             string
	Group, Version, Resource, Subresource, Namespace string
	Name                                             string
	// User who it was made by, once that is known: faults come before.
	User      User
	UserAgent string
	// Code of the answer; 0 while there is none, and for one that a fault left
	// without.
	Code int
	// Start is when it came; Duration is until the last byte of the answer, 0
	// while it runs.
	Start    time.Time
	Duration time.Duration
	// Running is whether it is not answered to the end yet, like a watch.
	Running bool
}

// Parameter of the query, the first of that name.
func (r Request) Parameter(name string) string {
	values, err := url.ParseQuery(r.Query)
	if err != nil {
		return ""
	}
	return values.Get(name)
}

// String is the line of the log: "GET /api/v1/pods?watch=true 200".
func (r Request) String() string {
	address := r.Path
	if r.Query != "" {
		address += "?" + r.Query
	}
	state := "no answer"
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

// requestLog remembers the newest requests.
type requestLog struct {
	mu sync.Mutex
	// ring holds the requests; the oldest is at next once it is full.
	ring []*Request
	next int
	// changed is raised when a request begins, and whenever more is known of one.
	changed signal
}

func (l *requestLog) begin(r *Request) {
	r.Start, r.Running = time.Now(), true
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.ring) < rememberedRequests {
		l.ring = append(l.ring, r)
	} else {
		l.ring[l.next] = r
		l.next = (l.next + 1) % rememberedRequests
	}
	l.changed.raise()
}

// answered takes the first code there is.
func (l *requestLog) answered(r *Request, code int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Code == 0 && code >= 200 {
		r.Code = code
		l.changed.raise()
	}
}

func (l *requestLog) codeOf(r *Request) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return r.Code
}

func (l *requestLog) made(r *Request, by User) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.User = by
	l.changed.raise()
}

func (l *requestLog) end(r *Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.Duration, r.Running = time.Since(r.Start), false
	l.changed.raise()
}

// copied is the log, oldest first.
func (l *requestLog) copied() (all []Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.ring {
		all = append(all, *l.ring[(l.next+i)%len(l.ring)])
	}
	return all
}

// waiting is closed when the log changes.
func (l *requestLog) waiting() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed.wait()
}

func (l *requestLog) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ring, l.next = nil, 0
}

// Requests that were made, those that are meant, oldest first: the newest
// 10,000 of all are remembered.
func (s *Server) Requests(of Match) (found []Request) {
	for _, r := range s.requests.copied() {
		if of.matches(&r) {
			found = append(found, r)
		}
	}
	return found
}

// WaitForRequests waits until n requests that are meant have come, those from
// before the call included, answered or not unless the Where of the match asks
// for it. Its error says what came last instead.
func (s *Server) WaitForRequests(ctx context.Context, of Match, n int) error {
	for {
		wake := s.requests.waiting()
		found := len(s.Requests(of))
		if found >= n {
			return nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return fmt.Errorf("apitest: wait for %d requests (%s): %d came; the last of all: %s: %w", n, of, found, s.lastRequests(), ctx.Err())
		case <-s.alive.Done():
			return fmt.Errorf("apitest: wait for %d requests (%s): %d came, and the server is closed", n, of, found)
		}
	}
}

// ForgetRequests empties the log, so that a test can count from here on.
func (s *Server) ForgetRequests() { s.requests.forget() }

// lastRequests are as many lines as a failure message bears.
func (s *Server) lastRequests() string {
	all := s.requests.copied()
	all = all[max(0, len(all)-10):]
	lines := make([]string, len(all))
	for i, r := range all {
		lines[i] = r.String()
	}
	if len(lines) == 0 {
		return "none at all"
	}
	return strings.Join(lines, "; ")
}
