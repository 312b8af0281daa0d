package workqueue

import (
	"math"
	"time"

	"k8s.io/utils/clock"
)

// never is later than every moment.
const never = math.MaxInt64

// monotonicClock returns the time in nanoseconds since the queue was created. A
// time takes eight bytes, and reading the real clock takes half the time of
// time.Now.
type monotonicClock struct {
	clock clock.WithTicker // nil: the real clock
	base  time.Time
}

func newMonotonicClock(c clock.WithTicker) monotonicClock {
	switch c.(type) {
	case nil, clock.RealClock, *clock.RealClock:
		return monotonicClock{base: time.Now()}
	}
	return monotonicClock{clock: c, base: c.Now()}
}

func (t *monotonicClock) now() int64 {
	if t.clock == nil {
		return int64(time.Since(t.base))
	}
	return int64(t.clock.Since(t.base))
}

// addSaturating adds without overflow.
func addSaturating(now int64, d time.Duration) int64 {
	if sum := now + int64(d); sum >= now {
		return sum
	}
	return never - 1
}

// deadlineTimer calls fire once at a deadline, which may be moved. It is
// guarded by the lock that fire takes. fire may be called too early or
// unnecessarily, and checks the time itself.
//
// On the real clock it is a runtime timer, which needs no goroutine. A custom
// Clock only provides channels, so a goroutine waits for it, which ends with
// the call of fire or with stop.
type deadlineTimer struct {
	clock clock.WithTicker // nil: the real clock
	fire  func()           // called on its own goroutine, without locks

	deadline   int64         // never: stopped
	realTimer  *time.Timer   // real clock: kept for reuse
	clockTimer clock.Timer   // custom clock: the pending timer
	stopped    chan struct{} // custom clock: closed to end the waiting goroutine
}

func newDeadlineTimer(c clock.WithTicker, fire func()) deadlineTimer {
	return deadlineTimer{clock: c, fire: fire, deadline: never}
}

// set moves the deadline to the given time, unless it is already earlier.
func (t *deadlineTimer) set(now, deadline int64) {
	if deadline >= t.deadline {
		return
	}
	d := time.Duration(max(0, deadline-now))
	if t.clock != nil {
		t.stop()
		t.awaitClockTimer(t.clock.NewTimer(d))
	} else if t.realTimer == nil {
		t.realTimer = time.AfterFunc(d, t.fire)
	} else {
		t.realTimer.Reset(d)
	}
	t.deadline = deadline
}

// stop cancels the timer. It does not wait for a call of fire that has begun.
func (t *deadlineTimer) stop() {
	if t.realTimer != nil && t.deadline != never {
		t.realTimer.Stop()
	}
	if t.stopped != nil {
		t.clockTimer.Stop()
		close(t.stopped)
		t.clockTimer, t.stopped = nil, nil
	}
	t.deadline = never
}

func (t *deadlineTimer) awaitClockTimer(timer clock.Timer) {
	stopped, fire := make(chan struct{}), t.fire
	t.clockTimer, t.stopped = timer, stopped
	go func() {
		select {
		case <-timer.C():
			fire()
		case <-stopped:
		}
	}()
}
