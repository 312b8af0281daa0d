// The work is done by this file. Package reflector retries without it.

package cache

import (
	"time"

	"k8s.io/utils/clock"
)

// RetryWithDeadline decides how long consecutive errors are retried.
type RetryWithDeadline interface {
	// After records the result of an attempt. nil and errors that are not
	// retryable are ignored.
	After(err error)
	// ShouldRetry reports whether there is time for another attempt. After it
	// has returned false, the time starts again.
	ShouldRetry() bool
}

// NewRetryWithDeadline returns a RetryWithDeadline that allows retries of
// errors for which isRetryable is true until maxRetryDuration after the first
// error. An error that occurs minResetPeriod after the previous one counts as
// the first. If maxRetryDuration is 0 there are no retries. If isRetryable is
// nil, no error is retryable. If now is nil, the real clock is used.
func NewRetryWithDeadline(maxRetryDuration, minResetPeriod time.Duration, isRetryable func(error) bool, now clock.Clock) RetryWithDeadline {
	if isRetryable == nil {
		isRetryable = func(error) bool { return false }
	}
	if now == nil {
		now = clock.RealClock{}
	}
	return &retryWithDeadline{maxDuration: maxRetryDuration, resetPeriod: minResetPeriod, retryable: isRetryable, clock: now}
}

type retryWithDeadline struct {
	maxDuration, resetPeriod time.Duration
	retryable                func(error) bool
	clock                    clock.PassiveClock
	// first and last are the times of the first and the last error; zero if
	// there was none.
	first, last time.Time
}

func (r *retryWithDeadline) After(err error) {
	if err == nil || !r.retryable(err) {
		return
	}
	now := r.clock.Now()
	if r.first.IsZero() || now.Sub(r.last) >= r.resetPeriod {
		r.first = now
	}
	r.last = now
}

func (r *retryWithDeadline) ShouldRetry() bool {
	if r.maxDuration <= 0 {
		return false
	}
	if r.clock.Now().Sub(r.first) <= r.maxDuration {
		return true
	}
	r.first, r.last = time.Time{}, time.Time{}
	return false
}
