package reflector

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// errIdle is the cause of a context that was canceled by an idle timer.
var errIdle = errors.New("idle timeout")

// idleTimer cancels a context when nothing has been received for too long. It
// uses one timer, however many events there are: the timer checks periodically
// whether the reader is waiting. Time in which the reader does not wait is not
// counted, to the precision of one check interval.
type idleTimer struct {
	// cancel cancels the context. It calls no user code.
	cancel context.CancelCauseFunc
	// limit is the idle timeout, in nanoseconds.
	limit atomic.Int64
	// lastReceived is the time of the last event, in nanoseconds since 1970.
	// paused is set while the reader does not wait for an event.
	lastReceived atomic.Int64
	paused       atomic.Bool
	// suspended disables the timeout.
	suspended atomic.Bool
	// expired is set when the timeout has been exceeded.
	expired atomic.Bool

	// timer is nil if there is no limit.
	timer  *time.Timer
	closed atomic.Bool
	// running counts one for a timer that is set or whose function runs.
	running sync.WaitGroup
}

// withIdleTimeout returns a context that is canceled when nothing is received
// within limit. A negative limit disables the timer.
func withIdleTimeout(ctx context.Context, limit time.Duration) (context.Context, *idleTimer) {
	ctx, cancel := context.WithCancelCause(ctx)
	s := &idleTimer{cancel: cancel}
	if limit >= 0 {
		s.lastReceived.Store(time.Now().UnixNano())
		s.limit.Store(int64(limit))
		s.running.Add(1)
		// s.timer is set before check can run, however short the limit is.
		s.timer = time.AfterFunc(math.MaxInt64, s.check)
		s.timer.Reset(checkInterval(limit))
	}
	return ctx, s
}

// received records an event. The timer is paused until awaitNext.
func (s *idleTimer) received(at time.Time) {
	s.paused.Store(true)
	s.lastReceived.Store(at.UnixNano())
}

// awaitNext resumes the timer: the reader waits for the next event.
func (s *idleTimer) awaitNext() { s.paused.Store(false) }

// suspend disables or enables the timeout. When it is enabled again, the limit
// counts from then on, to the precision of one check interval.
func (s *idleTimer) suspend(excused bool) {
	if s.suspended.Load() != excused {
		s.suspended.Store(excused)
	}
}

// setLimit changes the limit; a negative limit disables the timer.
func (s *idleTimer) setLimit(limit time.Duration) {
	if s.timer == nil || limit < 0 {
		s.stop()
		return
	}
	s.limit.Store(int64(limit))
	if s.timer.Stop() {
		s.timer.Reset(checkInterval(limit))
	}
}

// checkInterval returns the time between two checks.
func checkInterval(limit time.Duration) time.Duration { return (limit + 9) / 10 }

// check is the function of the timer. It runs on its own goroutine.
func (s *idleTimer) check() {
	now, limit := time.Now().UnixNano(), s.limit.Load()
	if s.paused.Load() || s.suspended.Load() {
		s.lastReceived.Store(now)
	}
	rest := s.lastReceived.Load() + limit - now
	if rest <= 0 {
		s.expired.Store(true)
		s.cancel(errIdle)
		s.running.Done()
		return
	}
	s.timer.Reset(min(time.Duration(rest), checkInterval(time.Duration(limit))))
	if s.closed.Load() && s.timer.Stop() {
		s.running.Done()
	}
}

// stop stops the timer, and waits until its function does not run.
func (s *idleTimer) stop() {
	if s.timer == nil || s.closed.Swap(true) {
		return
	}
	if s.timer.Stop() {
		s.running.Done()
	}
	s.running.Wait()
}

// close stops the timer and cancels the context.
func (s *idleTimer) close() {
	s.stop()
	s.cancel(context.Canceled)
}
