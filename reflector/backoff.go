package reflector

import (
	"math"
	"time"
)

const (
	defaultBase = 800 * time.Millisecond
	defaultMax  = 30 * time.Second
	// maxRetryAfter bounds the Retry-After of a server.
	maxRetryAfter = 2 * time.Minute
	// healthyPeriod is how long watches have to be healthy before earlier
	// failures are forgotten. A part of the period cancels that part of the
	// waits.
	healthyPeriod = 10 * time.Second
	// sharedInterval is the approximate interval at which one of the reflectors
	// that share a server sends a request to it while it does not answer.
	sharedInterval = time.Second
)

// failures records the failures since the source was last healthy.
type failures struct {
	err   error
	since time.Time
	count int
	// waits is the number of waits of this reflector, less those canceled by
	// healthy time.
	waits int
	// notFoundWaits is the number of waits in a row for a resource that the source lists
	// but does not find. Other failures do not add to it.
	notFoundWaits int
	// notFound is the state of the resource at the last failure.
	notFound notFoundState
	// retryAt is the earliest time of the next attempt.
	retryAt time.Time
	// healthySince is the time since which the watches have been healthy; zero
	// if no watch is open.
	healthySince time.Time
}

// notFoundState describes a resource that was not found, if the source can tell whether
// it serves the resource.
type notFoundState uint8

const (
	// notMissing: another failure, or a source that cannot tell.
	notMissing notFoundState = iota
	// notServed: it is not known that the source lists the resource.
	notServed
	// listedButNotFound: it was listed during the last wait.
	listedButNotFound
)

// notFoundStateOf returns the state after a failure.
func (f *failures) notFoundStateOf(in input) notFoundState {
	switch {
	case in.failure.askedIn <= 0:
		return notMissing
	case f.notFoundWaits > 0:
		return listedButNotFound
	}
	return notServed
}

func (f *failures) add(err error, at time.Time) {
	if !f.resetIfHealthy(at) && !f.healthySince.IsZero() {
		f.waits = remainingWaits(f.waits, at.Sub(f.healthySince))
	}
	if f.count == 0 {
		f.since = at
	}
	f.count++
	f.err = err
	f.healthySince = time.Time{}
}

// wait sets retryAt. Each wait is longer than the last, and not shorter than the
// server has asked for. A shared wait has no backoff of this reflector, unless
// the user has set a Backoff.
func (f *failures) wait(in input, b Backoff) {
	retryAfter := min(in.failure.retryAfter, maxRetryAfter)
	if in.failure.sharedWait && !in.failure.ownBackoff && b == (Backoff{}) {
		f.retryAt = in.at.Add(retryAfter)
		return
	}
	waits := &f.waits
	if f.notFound != notMissing {
		waits = &f.notFoundWaits
	}
	wait := b.after(*waits)
	wait += time.Duration(in.jitter * b.jitter() * float64(wait))
	*waits++
	f.retryAt = in.at.Add(max(wait, retryAfter))
}

// after returns the wait that follows the given number of waits.
func (b Backoff) after(waits int) time.Duration {
	base, most := b.bounds()
	factor := 2.0
	if b.Factor != 0 {
		factor = max(b.Factor, 1)
	}
	// Beyond Max the product could overflow a duration.
	if wait := float64(base) * math.Pow(factor, float64(waits)); wait < float64(most) {
		return time.Duration(wait)
	}
	return most
}

func (b Backoff) jitter() float64 {
	if b.Jitter == 0 {
		return 1
	}
	return max(b.Jitter, 0)
}

func (b Backoff) bounds() (base, most time.Duration) {
	base, most = b.Base, b.Max
	if base <= 0 {
		base = defaultBase
	}
	if most <= 0 {
		most = max(base, defaultMax)
	}
	return min(base, most), most
}

// served records that the source has ended the wait for a resource that was not found.
func (f *failures) served() { f.notFoundWaits = 0 }

// opened records that a watch is open. If the last watch ended normally, the
// healthy time continues.
func (f *failures) opened(at time.Time) {
	f.notFound, f.notFoundWaits = notMissing, 0
	if f.healthySince.IsZero() {
		f.healthySince = at
	}
}

// resetIfHealthy forgets all failures after healthyPeriod. It reports whether it
// did.
func (f *failures) resetIfHealthy(at time.Time) (all bool) {
	if f.count == 0 || f.healthySince.IsZero() {
		return false
	}
	if healthy := at.Sub(f.healthySince); healthy < healthyPeriod {
		return false
	}
	*f = failures{healthySince: f.healthySince}
	return true
}

// remainingWaits returns how many of the waits remain after some healthy time.
func remainingWaits(waits int, healthy time.Duration) int {
	return int(math.Ceil(float64(waits) * float64(healthyPeriod-healthy) / float64(healthyPeriod)))
}

// healthyAt returns the time at which the failures will be forgotten; zero if no
// watch is open.
func (f *failures) healthyAt() time.Time {
	if f.healthySince.IsZero() {
		return time.Time{}
	}
	return f.healthySince.Add(healthyPeriod)
}
