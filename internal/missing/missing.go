// Package missing decides when the readers of one client ask the server for its
// resources while resources are missing, and which of the readers may try again.
//
// A reader whose resource is not served waits. While there are such readers, one of
// them asks the server every few seconds which resources it serves, for all of them.
//
//	Join ──► waiting ──Learned, newly listed─────► ready
//	          │  ▲   ──Learned, listed before────► ready when its own backoff has passed
//	          │  │   ──Finished, its turn────────► ready
//	          └──┘                                   ▼
//	        otherwise                              Leave
//
// A server may serve a resource that it does not list, or may not allow the list to be
// read. Therefore each Finished also makes one reader ready that has waited long enough.
// The number of requests thus does not depend on the number of readers: per interval, one
// round of questions and one attempt. A failed round makes no other reader ready.
//
// A [Poll] has no clock, goroutine or lock: times are arguments.
package missing

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Resource identifies a resource. Poll has no type parameter for it, since the names of
// the instantiated functions would take as much of a program as their code.
type Resource = schema.GroupVersionResource

const (
	// Interval is the time between the beginnings of two rounds of questions.
	Interval = 3 * time.Second
	// minPause is the time between the end of a round and the beginning of the next one.
	minPause = time.Second
)

// Listing is what is known about a resource.
type Listing uint8

const (
	// Unknown: it has not been found out yet.
	Unknown Listing = iota
	// Absent: the server does not list the resource.
	Absent
	// Listed: the server lists the resource.
	Listed
	// Unavailable: the server has no list that the client may read.
	Unavailable
)

// Poll is the state of the readers of one client.
type Poll struct {
	waiting map[*Reader]struct{}
	// joined is the number of readers that have ever joined.
	joined uint64
	// poller asks, nil if there is none.
	poller *Reader
	// asking: a round of the poller is in progress, since began.
	asking bool
	began  time.Time
	// next is the time of the next round.
	next time.Time
}

// Reader is a reader that waits for its resource.
type Reader struct {
	resource Resource
	// number is the value of Poll.joined at its Join: a lower one has waited longer.
	number uint64
	// notBefore is when its own backoff has passed.
	notBefore time.Time
	// ownAttempt is when it may try although the resource is not listed.
	ownAttempt time.Time
	listing    Listing
	// newly: the resource has become listed since Join.
	newly bool
	// turn: it is the one that may try.
	turn bool
}

// Step is what a reader has to do.
type Step struct {
	// Ready: the wait is over.
	Ready bool
	// Repeated is set with Ready if the resource was listed when its last attempt failed:
	// the wait was the reader's own backoff, which grows.
	Repeated bool
	// Ask: ask the server, call Learned with the answers, and Finished.
	Ask bool
	// At is when to ask again for a step. It is zero if only a call of another reader
	// changes the step.
	At time.Time
}

// Join adds a reader. notBefore is when its own backoff has passed, ownAttempt when it may
// try although the resource is not listed.
func (p *Poll) Join(resource Resource, notBefore, ownAttempt time.Time) *Reader {
	if p.waiting == nil {
		p.waiting = map[*Reader]struct{}{}
	}
	p.joined++
	r := &Reader{resource: resource, number: p.joined, notBefore: notBefore, ownAttempt: ownAttempt}
	p.waiting[r] = struct{}{}
	return r
}

// Leave removes a reader. It reports whether none is left, and whether another one has to
// ask from now on.
func (p *Poll) Leave(r *Reader) (last, next bool) {
	delete(p.waiting, r)
	if next = p.poller == r; next {
		p.poller, p.asking = nil, false
	}
	return len(p.waiting) == 0, next
}

// Resources returns the resources of all readers.
func (p *Poll) Resources() map[Resource]struct{} {
	all := make(map[Resource]struct{}, len(p.waiting))
	for r := range p.waiting {
		all[r.resource] = struct{}{}
	}
	return all
}

// Step returns what a reader has to do. Every reader asks after each call of Learned and
// Finished, and of Leave if it reports next.
func (p *Poll) Step(r *Reader, now time.Time) Step {
	listed := r.listing == Listed
	switch {
	case r.turn, listed && r.newly:
		return Step{Ready: true}
	case listed && !now.Before(r.notBefore):
		return Step{Ready: true, Repeated: true}
	}
	var at time.Time
	if listed {
		at = r.notBefore
	}
	if p.poller == nil {
		p.poller = r
	}
	if p.poller != r || p.asking {
		return Step{At: at}
	}
	if !now.Before(p.next) {
		p.asking, p.began = true, now
		return Step{Ask: true}
	}
	if at.IsZero() || p.next.Before(at) {
		at = p.next
	}
	return Step{At: at}
}

// Learned records answers of the server. Unknown is no answer.
func (p *Poll) Learned(listing func(Resource) Listing) {
	for r := range p.waiting {
		now := listing(r.resource)
		if now == Unknown {
			continue
		}
		r.newly = now == Listed && (r.newly || r.listing == Absent)
		r.listing = now
	}
}

// Finished ends a round. wait is how long the server has asked to wait, 0 if it has not.
// Unless it has, the reader whose turn it is may try.
func (p *Poll) Finished(now time.Time, wait time.Duration) {
	p.asking, p.next = false, now.Add(max(minPause, wait))
	if regular := p.began.Add(Interval); p.next.Before(regular) {
		p.next = regular
	}
	if wait > 0 {
		return
	}
	var first *Reader
	for r := range p.waiting {
		due := !now.Before(r.ownAttempt) || r.listing == Unavailable && !now.Before(r.notBefore)
		if due && !r.turn && r.listing != Listed && (first == nil || r.number < first.number) {
			first = r
		}
	}
	if first != nil {
		first.turn = true
	}
}

// NextRound returns when the next round of questions begins that begins after now.
func (p *Poll) NextRound(now time.Time) time.Time {
	if p.next.After(now) {
		return p.next
	}
	return now.Add(Interval)
}
