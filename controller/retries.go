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
func (ts *retries) failed(req Request, o outcome, now time.Time) retryDecision {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.byKey[req]
	if t == nil {
		if ts.byKey == nil {
			ts.byKey = map[Request]*retryState{}
		}
		t = &retryState{changed: true}
		ts.byKey[req] = t
		ts.count.Add(1)
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
	v := retryDecision{failures: t.failures, shouldLog: bits.OnesCount(uint(t.repeated)) == 1, quarantined: ts.inQuarantine(t)}
	t.next = time.Time{}
	if !v.quarantined {
		v.wait = ts.backoff.after(t.failures)
		t.next = now.Add(v.wait)
	}
	return v
}

// inQuarantine reports whether t's key is in quarantine.
func (ts *retries) inQuarantine(t *retryState) bool {
	return ts.maxPanics > 0 && t.panics >= ts.maxPanics
}

// forget removes a key that succeeded or failed with a terminal error.
func (ts *retries) forget(req Request) {
	if ts.count.Load() == 0 {
		return
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if _, ok := ts.byKey[req]; ok {
		delete(ts.byKey, req)
		ts.count.Add(-1)
	}
}

// changed records that the key has changed. A key in quarantine may then be reconciled
// once more.
func (ts *retries) changed(req Request) {
	if ts.count.Load() == 0 {
		return
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t := ts.byKey[req]; t != nil {
		t.changed = true
	}
}

// quarantined reports whether the key is reconciled only after a change.
func (ts *retries) quarantined(req Request) bool {
	if ts.count.Load() == 0 {
		return false
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.byKey[req]
	return t != nil && ts.inQuarantine(t)
}

// mayStart reports whether a worker may reconcile the key: it is not in quarantine, or
// it has changed.
func (ts *retries) mayStart(req Request) bool {
	if ts.count.Load() == 0 {
		return true
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.byKey[req]
	if t == nil {
		return true
	}
	if ts.inQuarantine(t) && !t.changed {
		return false
	}
	t.changed = false
	return true
}

// fill adds the failed keys, up to the limit of State.
func (ts *retries) fill(s *State) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for req, t := range ts.byKey {
		failing := FailingRequest{Request: req, Failures: t.failures, Err: t.err, Next: t.next}
		if ts.inQuarantine(t) {
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
