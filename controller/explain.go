package controller

import "time"

// Explanation says why a request was enqueued last and what it depends on.
type Explanation struct {
	Request Request
	// Queued is when a change has enqueued the request last, and Cause the change: the
	// informer, the key of the object, and created, updated or deleted. They are zero if
	// the request has no dependencies, or if no change of the last 1,024 that have
	// enqueued requests has enqueued it.
	Queued time.Time
	Cause  string
	// Dependencies are up to 100 of the tracked reads that enqueue the request, sorted.
	// Count is their number.
	Dependencies []string
	Count        int
}

// Explain says why a request was enqueued last and what it depends on, for a controller
// with tracked reads. Between two runs, and until the informers have synced, it is the
// state at the end of the last one.
func (c *Controller) Explain(req Request) Explanation {
	c.mu.Lock()
	r, last := c.current, c.lastReads
	if last != nil {
		defer c.mu.Unlock() // until then no run takes the reads
		return last.explain(req, maxListed)
	}
	c.mu.Unlock()
	if r != nil {
		if t := r.tracking(); t != nil {
			return t.explain(req, maxListed)
		}
	}
	return Explanation{Request: req}
}
