package workqueue

import (
	"math"
	"time"

	"k8s.io/utils/clock"
)

// never is later than every moment.
const never = math.MaxInt64

// timepiece tells the time in nanoseconds since the queue was made: eight
// bytes an item, and on the real clock half the price of time.Now.
type timepiece struct {
	clock clock.WithTicker // nil: the real one
	base  time.Time
}

func newTimepiece(c clock.WithTicker) timepiece {
	switch c.(type) {
	case nil, clock.RealClock, *clock.RealClock:
		return timepiece{base: time.Now()}
	}
	return timepiece{clock: c, base: c.Now()}
}

func (t *timepiece) now() int64 {
	if t.clock == nil {
		return int64(time.Since(t.base))
	}
	return int64(t.clock.Since(t.base))
}

// later adds without overflow: a delay of centuries is no delay in the past.
func later(now int64, d time.Duration) int64 {
	if at := now + int64(d); at >= now {
		return at
	}
	return never - 1
}

// alarm calls ring once, at a time that may be moved. Its owner guards it
// with the lock that ring takes, and bears a ring that comes too early or
// for nothing: it looks at the time itself.
//
// On the real clock a waiting alarm is a timer of the runtime and costs no
// goroutine. A Clock that was passed in promises only channels, so there it
// costs one, which ends with the ring or with off.
type alarm struct {
	clock clock.WithTicker // nil: the real one
	ring  func()           // called on a goroutine of its own, without locks

	at    int64         // when it will ring; never: it is off
	timer *time.Timer   // real clock: kept for reuse, stopped while off
	other clock.Timer   // other clocks: the one pending
	gone  chan struct{} // other clocks: closed to call the pending goroutine off
}

func newAlarm(c clock.WithTicker, ring func()) alarm {
	return alarm{clock: c, ring: ring, at: never}
}

// set makes the alarm ring at the given moment or, if that is set already,
// earlier.
func (a *alarm) set(now, at int64) {
	if at >= a.at {
		return
	}
	d := time.Duration(max(0, at-now))
	if a.clock != nil {
		a.off()
		a.await(a.clock.NewTimer(d))
	} else if a.timer == nil {
		a.timer = time.AfterFunc(d, a.ring)
	} else {
		a.timer.Reset(d)
	}
	a.at = at
}

// off leaves nothing pending. A ring that has begun is not waited for.
func (a *alarm) off() {
	if a.timer != nil && a.at != never {
		a.timer.Stop()
	}
	if a.gone != nil {
		a.other.Stop()
		close(a.gone)
		a.other, a.gone = nil, nil
	}
	a.at = never
}

func (a *alarm) await(t clock.Timer) {
	gone, ring := make(chan struct{}), a.ring
	a.other, a.gone = t, gone
	go func() {
		select {
		case <-t.C():
			ring()
		case <-gone:
		}
	}()
}
