package controller

import "time"

// Explanation says why a request was enqueued last and what it depends on.
type Explanation struct {
	Request Request
	// Queued is when a tracked read or a watch with NotOwnWrites has enqueued the
	// request last, and Cause what has changed: the informer and the key. They are zero
	// if none has.
	Queued time.Time
	Cause  string
	// Dependencies are up to 100 of the tracked reads that enqueue the request, sorted.
	// Count is their number.
	Dependencies []string
	Count        int
}

// Explain says why a request was enqueued last and what it depends on, for a controller
// with tracked reads.
func (c *Controller) Explain(req Request) Explanation {
	c.mu.Lock()
	r := c.current
	c.mu.Unlock()
	if r != nil {
		if t := r.tracking(); t != nil {
			return t.explain(req, maxListed)
		}
	}
	return Explanation{Request: req}
}
