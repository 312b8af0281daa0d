package fault

import (
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/apitest/internal/listener"
	"github.com/thinformer/thinformer/apitest/internal/response"
)

// NewCountdown returns a fault that passes n events, and then calls act. Without
// act, it breaks the response off in the middle of the next frame.
func NewCountdown(at *Point, n int, act func() bool) Events {
	return &eventCountdown{Point: at, left: n, act: act}
}

// eventCountdown passes n events, and then calls act. Without act, it breaks
// the response off in the middle of the next frame.
type eventCountdown struct {
	*Point
	left  int
	act   func() bool
	acted bool
	ended bool
}

func (d *eventCountdown) begin() error { return d.actIfDue() }

func (d *eventCountdown) Send(f response.Frame) error {
	if d.ended {
		return errEnded
	}
	if d.act == nil && d.left <= 0 && !d.isRemoved() {
		d.sendHalf(f)
	}
	if err := d.Next.Send(f); err != nil {
		return err
	}
	if isEvent(f) {
		d.left--
	}
	return d.actIfDue()
}

// actIfDue calls act once n events have passed.
func (d *eventCountdown) actIfDue() error {
	if d.acted || d.act == nil || d.left > 0 || d.isRemoved() {
		return nil
	}
	d.acted = true
	if err := d.drain(); err != nil {
		return err
	}
	if conn := listener.ConnectionOf(d.Request.Context()); conn != nil && d.Request.ProtoMajor == 2 {
		conn.WaitForWrites()
	}
	if d.ended = d.act(); d.ended {
		return errEnded
	}
	return nil
}

// sendHalf sends half of a frame and aborts.
func (d *eventCountdown) sendHalf(f response.Frame) {
	if d.drain() == nil {
		text := f.AppendTo(nil)
		if _, err := d.Out.Write(text[:len(text)/2]); err == nil {
			d.Out.Flush()
		}
	}
	d.Abort()
}

// NewTimedEnd returns a fault that ends a watch after a duration, and then calls
// act.
func NewTimedEnd(at *Point, after time.Duration, act func() bool) Events {
	return &timedEnd{Point: at, after: after, act: act}
}

// timedEnd ends a watch after a duration, and then calls act.
type timedEnd struct {
	*Point
	after time.Duration
	// act is nil if the watch breaks off in the middle of an event.
	act     func() bool
	timer   *time.Timer
	reached atomic.Bool
}

func (d *timedEnd) begin() error {
	d.timer = time.AfterFunc(d.after, func() {
		if !d.isRemoved() {
			d.reached.Store(true)
			d.endWatch()
		}
	})
	return nil
}

func (d *timedEnd) Send(f response.Frame) error {
	if d.reached.Load() {
		return errEnded
	}
	return d.Next.Send(f)
}

// end applies the action on the goroutine of the request, which sends nothing
// more.
func (d *timedEnd) end() {
	if d.timer != nil {
		d.timer.Stop()
	}
	switch {
	case !d.reached.Load() || d.isClosed():
	case d.act != nil:
		// The events before the action are sent first. The client may have gone.
		_ = d.drain()
		d.act()
	default:
		half := eventCountdown{Point: d.Point}
		half.sendHalf(response.Frame{Type: "MODIFIED", Object: []byte("{}")})
	}
}
