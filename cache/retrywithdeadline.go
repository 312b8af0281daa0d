package cache

import (
	"time"

	"k8s.io/utils/clock"
)

// RetryWithDeadline says for how long errors in a row are worth another try.
type RetryWithDeadline interface {
	// After notes what a try has come to. nil, and errors that are not worth
	// another try, change nothing.
	After(err error)
	// ShouldRetry reports whether there is time for another try. When there is
	// none it says so once, and what comes after begins anew.
	ShouldRetry() bool
}

// NewRetryWithDeadline gives errors that isRetryable knows maxRetryDuration from
// the first one on. An error that comes minResetPeriod after the one before is a
// first one. A maxRetryDuration of 0 is no time at all. Without an isRetryable no
// error is worth another try, and without a clock it is the real one.
func NewRetryWithDeadline(maxRetryDuration, minResetPeriod time.Duration, isRetryable func(error) bool, now clock.Clock) RetryWithDeadline {
	if isRetryable == nil {
		isRetryable = func(error) bool { return false }
	}
	if now == nil {
		now = clock.RealClock{}
	}
	return &retryWithDeadline{most: maxRetryDuration, reset: minResetPeriod, retryable: isRetryable, clock: now}
}

type retryWithDeadline struct {
	most, reset time.Duration
	retryable   func(error) bool
	clock       clock.PassiveClock
	// first and last are when errors came; zero if none has.
	first, last time.Time
}

func (r *retryWithDeadline) After(err error) {
	if err == nil || !r.retryable(err) {
		return
	}
	now := r.clock.Now()
	if r.first.IsZero() || now.Sub(r.last) >= r.reset {
		r.first = now
	}
	r.last = now
}

func (r *retryWithDeadline) ShouldRetry() bool {
	if r.most <= 0 {
		return false
	}
	if r.clock.Now().Sub(r.first) <= r.most {
		return true
	}
	r.first, r.last = time.Time{}, time.Time{}
	return false
}
