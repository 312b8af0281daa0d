package controller

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

// troubles are the keys whose last reconcile has failed. A controller without
// failures pays one load for them.
type troubles struct {
	backoff Backoff
	// maxPanics in a row put a key into quarantine; negative: none do.
	maxPanics int

	// count is the length of of: while it is 0, nobody takes the lock.
	count atomic.Int64

	mu sync.Mutex
	of map[Request]*trouble
}

// trouble is what is known of a key since it last went well.
type trouble struct {
	err  error
	text string // of err
	// failures and panics in a row; a failure that is no panic ends those.
	failures, panics int
	// next is when it comes again by itself; zero in quarantine.
	next time.Time
	// changed: a live change has brought it since its last reconcile began, or
	// nobody has looked.
	changed bool
	// repeated is how often the text has been the same in a row.
	repeated int
}

// verdict is what becomes of a key that has failed.
type verdict struct {
	failures int
	// wait is how long it waits for its next try, if it is not quarantined.
	wait        time.Duration
	quarantined bool
	// news: it has not failed just so before, or twice as often as when that was
	// last news.
	news bool
}

// failed notes a failure.
func (ts *troubles) failed(req Request, o outcome, now time.Time) verdict {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.of[req]
	if t == nil {
		if ts.of == nil {
			ts.of = map[Request]*trouble{}
		}
		t = &trouble{changed: true}
		ts.of[req] = t
		ts.count.Add(1)
	}
	if t.err != nil && t.text == o.text {
		t.repeated++
	} else {
		t.repeated = 1
	}
	t.err, t.text = o.err, o.text
	t.failures++
	if o.panic != nil {
		t.panics++
	} else {
		t.panics = 0
	}
	v := verdict{failures: t.failures, news: bits.OnesCount(uint(t.repeated)) == 1, quarantined: ts.quarantines(t)}
	t.next = time.Time{}
	if !v.quarantined {
		v.wait = ts.backoff.after(t.failures)
		t.next = now.Add(v.wait)
	}
	return v
}

// quarantines reports whether t's key is in quarantine.
func (ts *troubles) quarantines(t *trouble) bool { return ts.maxPanics > 0 && t.panics >= ts.maxPanics }

// forget is told that a key has gone well, or is given up until it changes.
func (ts *troubles) forget(req Request) {
	if ts.count.Load() == 0 {
		return
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if _, ok := ts.of[req]; ok {
		delete(ts.of, req)
		ts.count.Add(-1)
	}
}

// changed notes that something about the key has changed: it may come out of
// quarantine, for one more try.
func (ts *troubles) changed(req Request) {
	if ts.count.Load() == 0 {
		return
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t := ts.of[req]; t != nil {
		t.changed = true
	}
}

// quarantined reports whether nothing but a change is to bring the key.
func (ts *troubles) quarantined(req Request) bool {
	if ts.count.Load() == 0 {
		return false
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.of[req]
	return t != nil && ts.quarantines(t)
}

// begins is asked by a worker that has got the key: it is not to be reconciled
// if it is in quarantine and has not changed.
func (ts *troubles) begins(req Request) bool {
	if ts.count.Load() == 0 {
		return true
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.of[req]
	if t == nil {
		return true
	}
	if ts.quarantines(t) && !t.changed {
		return false
	}
	t.changed = false
	return true
}

// into tells of as many as State lists.
func (ts *troubles) into(s *State) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for req, t := range ts.of {
		failing := Failing{Request: req, Failures: t.failures, Err: t.err, Next: t.next}
		if ts.quarantines(t) {
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

// after is how long a key waits after so many failures in a row.
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
