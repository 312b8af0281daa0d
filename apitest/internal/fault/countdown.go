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

func (c *eventCountdown) begin() error { return c.actIfDue() }

func (c *eventCountdown) Send(f response.Frame) error {
	if c.ended {
		return errEnded
	}
	if c.act == nil && c.left <= 0 && !c.isRemoved() {
		c.sendHalf(f)
	}
	if err := c.Next.Send(f); err != nil {
		return err
	}
	if isEvent(f) {
		c.left--
	}
	return c.actIfDue()
}

// actIfDue calls act once n events have passed.
func (c *eventCountdown) actIfDue() error {
	if c.acted || c.act == nil || c.left > 0 || c.isRemoved() {
		return nil
	}
	c.acted = true
	if err := c.drain(); err != nil {
		return err
	}
	if conn := listener.ConnectionOf(c.Request.Context()); conn != nil && c.Request.ProtoMajor == 2 {
		conn.WaitForWrites()
	}
	if c.ended = c.act(); c.ended {
		return errEnded
	}
	return nil
}

// sendHalf sends half of a frame and aborts.
func (c *eventCountdown) sendHalf(f response.Frame) {
	if c.drain() == nil {
		text := f.AppendTo(nil)
		if _, err := c.Out.Write(text[:len(text)/2]); err == nil {
			c.Out.Flush()
		}
	}
	c.Abort()
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

func (t *timedEnd) begin() error {
	t.timer = time.AfterFunc(t.after, func() {
		if !t.isRemoved() {
			t.reached.Store(true)
			t.endWatch()
		}
	})
	return nil
}

func (t *timedEnd) Send(f response.Frame) error {
	if t.reached.Load() {
		return errEnded
	}
	return t.Next.Send(f)
}

// end applies the action on the goroutine of the request, which sends nothing
// more.
func (t *timedEnd) end() {
	if t.timer != nil {
		t.timer.Stop()
	}
	switch {
	case !t.reached.Load() || t.isClosed():
	case t.act != nil:
		// The events before the action are sent first. The client may have disconnected.
		_ = t.drain()
		t.act()
	default:
		half := eventCountdown{Point: t.Point}
		half.sendHalf(response.Frame{Type: "MODIFIED", Object: []byte("{}")})
	}
}
