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
	t := &idleTimer{cancel: cancel}
	if limit >= 0 {
		t.lastReceived.Store(time.Now().UnixNano())
		t.limit.Store(int64(limit))
		t.running.Add(1)
		// t.timer is set before check can run, however short the limit is.
		t.timer = time.AfterFunc(math.MaxInt64, t.check)
		t.timer.Reset(checkInterval(limit))
	}
	return ctx, t
}

// received records an event. The timer is paused until awaitNext.
func (t *idleTimer) received(at time.Time) {
	t.paused.Store(true)
	t.lastReceived.Store(at.UnixNano())
}

// awaitNext resumes the timer: the reader waits for the next event.
func (t *idleTimer) awaitNext() { t.paused.Store(false) }

// suspend disables or enables the timeout. When it is enabled again, the limit
// counts from then on, to the precision of one check interval.
func (t *idleTimer) suspend(suspended bool) {
	if t.suspended.Load() != suspended {
		t.suspended.Store(suspended)
	}
}

// setLimit changes the limit; a negative limit disables the timer.
func (t *idleTimer) setLimit(limit time.Duration) {
	if t.timer == nil || limit < 0 {
		t.stop()
		return
	}
	t.limit.Store(int64(limit))
	if t.timer.Stop() {
		t.timer.Reset(checkInterval(limit))
	}
}

// checkInterval returns the time between two checks.
func checkInterval(limit time.Duration) time.Duration { return (limit + 9) / 10 }

// check is the function of the timer. It runs on its own goroutine.
func (t *idleTimer) check() {
	now, limit := time.Now().UnixNano(), t.limit.Load()
	if t.paused.Load() || t.suspended.Load() {
		t.lastReceived.Store(now)
	}
	remaining := t.lastReceived.Load() + limit - now
	if remaining <= 0 {
		t.expired.Store(true)
		t.cancel(errIdle)
		t.running.Done()
		return
	}
	t.timer.Reset(min(time.Duration(remaining), checkInterval(time.Duration(limit))))
	if t.closed.Load() && t.timer.Stop() {
		t.running.Done()
	}
}

// stop stops the timer, and waits until its function does not run.
func (t *idleTimer) stop() {
	if t.timer == nil || t.closed.Swap(true) {
		return
	}
	if t.timer.Stop() {
		t.running.Done()
	}
	t.running.Wait()
}

// close stops the timer and cancels the context.
func (t *idleTimer) close() {
	t.stop()
	t.cancel(context.Canceled)
}
