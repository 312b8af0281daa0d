package controller

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

// retries holds the keys whose last reconcile failed. Without failures it costs one
// atomic load per key.
type retries struct {
	backoff Backoff
	// maxPanics is the number of consecutive panics that put a key into quarantine. If
	// negative, none is.
	maxPanics int

	// count is the length of byKey. While it is 0, mu is not locked.
	count atomic.Int64

	mu    sync.Mutex
	byKey map[Request]*retryState
}

// retryState is the state of a key since its last success.
type retryState struct {
	err  error
	text string // err.Error()
	// failures and panics count consecutive ones. A failure without a panic resets
	// panics.
	failures, panics int
	// next is the time of the next retry, zero in quarantine.
	next time.Time
	// changed is set if a change has enqueued the key since its last reconcile began,
	// or if no worker has checked since.
	changed bool
	// repeated counts consecutive failures with the same text.
	repeated int
}

// retryDecision is the consequence of a failure.
type retryDecision struct {
	failures int
	// wait is the delay of the retry, unless the key is in quarantine.
	wait        time.Duration
	quarantined bool
	// shouldLog is set for a new text, and when the same text has occurred twice as
	// often as when it was last logged.
	shouldLog bool
}

// failed records a failure.
func (r *retries) failed(req Request, o outcome, now time.Time) retryDecision {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.byKey[req]
	if t == nil {
		if r.byKey == nil {
			r.byKey = map[Request]*retryState{}
		}
		t = &retryState{changed: true}
		r.byKey[req] = t
		r.count.Add(1)
	}
	if t.err != nil && t.text == o.text {
		t.repeated++
	} else {
		t.repeated = 1
	}
	t.err, t.text = o.err, o.text
	t.failures++
	if o.panicErr != nil {
		t.panics++
	} else {
		t.panics = 0
	}
	v := retryDecision{failures: t.failures, shouldLog: bits.OnesCount(uint(t.repeated)) == 1, quarantined: r.inQuarantine(t)}
	t.next = time.Time{}
	if !v.quarantined {
		v.wait = r.backoff.after(t.failures)
		t.next = now.Add(v.wait)
	}
	return v
}

// inQuarantine reports whether t's key is in quarantine.
func (r *retries) inQuarantine(t *retryState) bool {
	return r.maxPanics > 0 && t.panics >= r.maxPanics
}

// forget removes a key that succeeded or failed with a terminal error.
func (r *retries) forget(req Request) {
	if r.count.Load() == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.byKey[req]; ok {
		delete(r.byKey, req)
		r.count.Add(-1)
	}
}

// changed records that the key has changed. A key in quarantine may then be reconciled
// once more.
func (r *retries) changed(req Request) {
	if r.count.Load() == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.byKey[req]; t != nil {
		t.changed = true
	}
}

// quarantined reports whether the key is reconciled only after a change.
func (r *retries) quarantined(req Request) bool {
	if r.count.Load() == 0 {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.byKey[req]
	return t != nil && r.inQuarantine(t)
}

// mayStart reports whether a worker may reconcile the key: it is not in quarantine, or
// it has changed.
func (r *retries) mayStart(req Request) bool {
	if r.count.Load() == 0 {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.byKey[req]
	if t == nil {
		return true
	}
	if r.inQuarantine(t) && !t.changed {
		return false
	}
	t.changed = false
	return true
}

// fill adds the failed keys, up to the limit of State.
func (r *retries) fill(s *State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for req, t := range r.byKey {
		failing := FailingRequest{Request: req, Failures: t.failures, Err: t.err, Next: t.next}
		if r.inQuarantine(t) {
			s.QuarantinedCount++
			if len(s.Quarantined) < maxListed {
				s.Quarantined = append(s.Quarantined, failing)
			}
			continue
		}
		s.RetryingCount++
		if len(s.Retrying) < maxListed {
			s.Retrying = append(s.Retrying, failing)
		}
	}
}

// after returns the delay after a number of consecutive failures.
func (b Backoff) after(failures int) time.Duration {
	wait := b.Base
	for range failures - 1 {
		if wait > b.Max/2 {
			return b.Max
		}
		wait *= 2
	}
	return min(wait, b.Max)
}
