package reflector

import (
	"math"
	"time"
)

const (
	defaultBase = 800 * time.Millisecond
	defaultMax  = 30 * time.Second
	// longestRetryAfter bounds what a server may ask for.
	longestRetryAfter = 2 * time.Minute
	// proof is how long a watch has to be in order, at least, until what
	// happened before it is forgotten.
	proof = 10 * time.Second
)

// failures are those since the source was last in order.
type failures struct {
	err   error
	since time.Time
	count int
	// waits is how many waits there were, and last how long the last was.
	waits   int
	last    time.Duration
	retryAt time.Time
	// provenAt is when the watch that is open will have proved healthy; zero
	// while there is none.
	provenAt time.Time
}

func (f *failures) note(err error, at time.Time) {
	if f.count == 0 {
		f.since = at
	}
	f.count++
	f.err = err
	f.provenAt = time.Time{}
}

// wait sets retryAt: longer from one to the next, and no sooner than the server
// has asked for.
func (f *failures) wait(in input, b Backoff) {
	wait := b.after(f.waits)
	wait += time.Duration(in.dice * b.jitter() * float64(wait))
	wait = max(wait, min(in.failure.retryAfter, longestRetryAfter))
	f.waits++
	f.last = wait
	f.retryAt = in.at.Add(wait)
}

// after is the wait that comes after so many others.
func (b Backoff) after(waits int) time.Duration {
	base, most := b.bounds()
	factor := 2.0
	if b.Factor != 0 {
		factor = max(b.Factor, 1)
	}
	// Past what a duration can hold there is nothing to multiply.
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

// proveBy: a watch was opened, and is in order until something is heard of it. One
// that takes the place of another that had ended as watches do goes on with the
// proof.
func (f *failures) proveBy(opened time.Time) {
	if f.provenAt.IsZero() {
		f.provenAt = opened.Add(max(proof, f.last))
	}
}

// forget lets what happened be, if the watch that is open has proved healthy.
func (f *failures) forget(at time.Time) bool {
	if f.count == 0 || !f.proven(at) {
		return false
	}
	*f = failures{provenAt: f.provenAt}
	return true
}

func (f *failures) proven(at time.Time) bool {
	return !f.provenAt.IsZero() && !at.Before(f.provenAt)
}
