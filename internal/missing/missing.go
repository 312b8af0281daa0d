// Package missing decides which of the readers of one client asks the server for its
// resources while resources are missing, and which of them may try again.
//
// A reader whose resource is not served waits. While there are such readers, one of
// them requests the list of all served resources every few seconds, for all of them.
//
//	Join ──► waiting ──Answered, served────────┐
//	          │  ▲                             ▼
//	          │  └──Answered, not served    ready, not before the reader's own backoff
//	          └─────Failed────────────────────►│
//	                                           ▼
//	                                         Leave
//
// If the list cannot be read, every reader is ready when its own backoff has passed, as
// if there were no list. A reader that is ready and finds that its resource is still
// not served joins again, with a longer backoff.
//
// A [Poll] has no clock, goroutine or lock: times are arguments.
package missing

import "time"

const (
	// Interval is the time between two requests for the list.
	Interval = 3 * time.Second
	// maxInterval is the time between them while they fail.
	maxInterval = time.Minute
)

// Poll is the state of the readers of one client. R identifies a resource.
type Poll[R comparable] struct {
	waiting map[*Reader[R]]struct{}
	// poller makes the requests, nil if there is none.
	poller *Reader[R]
	// requesting: a request of the poller is in progress.
	requesting bool
	// next is the time of the next request.
	next time.Time
	// failures is the number of requests that have failed in a row.
	failures int
}

// Reader is a reader that waits for its resource.
type Reader[R comparable] struct {
	resource R
	// notBefore is when its own backoff has passed.
	notBefore time.Time
	// served: the last list includes the resource.
	served bool
}

// Step is what a reader has to do.
type Step struct {
	// Ready: the wait is over.
	Ready bool
	// Request: request the list, and call Answered, Failed or Abandoned.
	Request bool
	// At is when to ask again. It is zero if only a call of another reader changes the
	// step.
	At time.Time
}

// Join adds a reader.
func (p *Poll[R]) Join(resource R, notBefore time.Time) *Reader[R] {
	if p.waiting == nil {
		p.waiting = map[*Reader[R]]struct{}{}
	}
	r := &Reader[R]{resource: resource, notBefore: notBefore}
	p.waiting[r] = struct{}{}
	return r
}

// Leave removes a reader. Another one then makes the requests. Leave reports whether
// none is left.
func (p *Poll[R]) Leave(r *Reader[R]) (last bool) {
	delete(p.waiting, r)
	if p.poller == r {
		p.poller, p.requesting = nil, false
	}
	return len(p.waiting) == 0
}

// Step returns what a reader has to do. Every reader asks after each call of another
// method except Join.
func (p *Poll[R]) Step(r *Reader[R], now time.Time) Step {
	released := r.served || p.failures > 0
	if released && !now.Before(r.notBefore) {
		return Step{Ready: true}
	}
	var at time.Time
	if released {
		at = r.notBefore
	}
	if p.poller == nil {
		p.poller = r
	}
	if p.poller != r || p.requesting {
		return Step{At: at}
	}
	if !now.Before(p.next) {
		p.requesting = true
		return Step{Request: true}
	}
	if at.IsZero() || p.next.Before(at) {
		at = p.next
	}
	return Step{At: at}
}

// Answered records a list.
func (p *Poll[R]) Answered(now time.Time, served func(R) bool) {
	p.requesting, p.failures, p.next = false, 0, now.Add(Interval)
	for r := range p.waiting {
		r.served = served(r.resource)
	}
}

// Failed records that the list could not be read.
func (p *Poll[R]) Failed(now time.Time) {
	p.requesting = false
	p.next = now.Add(min(Interval<<min(p.failures, 10), maxInterval))
	p.failures++
}
