package outage

import (
	"sync"
	"time"
)

// Requests counts the requests of a client in a time span.
type Requests struct {
	// Total counts requests, and connections that could not carry a request. The pages
	// of a list count as one.
	Total int
	// Peak is the maximum number within one second.
	Peak int
}

// tally records the times of requests and answers. It is safe for concurrent use.
type tally struct {
	mu        sync.Mutex
	requests  []time.Time // in order
	answers   []time.Time // response headers other than 429 and 5xx, in order
	announced time.Time   // the latest end of a wait that a Retry-After has announced
}

func (t *tally) request() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests = append(t.requests, time.Now())
}

func (t *tally) answer() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answers = append(t.answers, time.Now())
}

func (t *tally) announce(wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.announced = time.Now().Add(wait)
}

// between counts the requests from one time until another.
func (t *tally) between(from, to time.Time) Requests {
	t.mu.Lock()
	defer t.mu.Unlock()
	var within []time.Time
	for _, at := range t.requests {
		if !at.Before(from) && at.Before(to) {
			within = append(within, at)
		}
	}
	return Requests{Total: len(within), Peak: peak(within)}
}

// peak returns the maximum number of times within one second. The times are in order.
func peak(times []time.Time) (most int) {
	first := 0
	for i, at := range times {
		for at.Sub(times[first]) >= time.Second {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

func (t *tally) firstAnswer(since time.Time) (at time.Time, answered bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, at := range t.answers {
		if !at.Before(since) {
			return at, true
		}
	}
	return time.Time{}, false
}

func (t *tally) lastAnnounced() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.announced
}
