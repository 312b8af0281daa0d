package leader

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/thinformer/thinformer/controller"
)

// errGoexit is the outcome of a lead that ended its goroutine instead of returning.
var errGoexit = errors.New("leader: lead called runtime.Goexit")

// runTerm calls lead and renews the Lease until lead has returned. ended is set if Run
// must return err.
func (c *campaign) runTerm(ctx context.Context, lead func(context.Context) error) (ended bool, err error) {
	e := c.elector
	t := newTerm(ctx, c.machine.renewDeadline, c.machine.renewed, c.renewedWall, time.Now, e.wallClock)
	defer t.endActing(context.Canceled)
	defer t.endLeading(context.Canceled)
	if t.hasEnded() { // the machine was suspended while the Lease was acquired
		c.machine.lost()
		return false, nil
	}
	// A standby rarely uses the program's connections and does not notice a lost one.
	// Begin the first write of lead on a new connection.
	e.client.Reconnect()
	e.setActing(t)
	c.publish()
	c.log.Info("This process is the leader", "transitions", c.machine.record.transitions)

	// renewing ends when lead returns, so that no pending renewal delays Run.
	renewing, returned := context.WithCancel(context.WithoutCancel(ctx))
	outcome := errGoexit
	canceled := false // lead was canceled before it returned
	go func() {
		defer returned()
		defer e.clearActing(t)
		acting := termContext{t.acting, t}
		outcome = lead(acting)
		canceled = acting.Err() != nil
	}()
	c.renewLoop(renewing, t)
	if renewing.Err() == nil && !c.waitForLead(renewing) {
		return true, fmt.Errorf("%w: another process may take the lease %s, %v after its last renewal", ErrStillRunning, e.state.Lease, c.machine.leaseDuration)
	}
	if canceled && isContextEnd(outcome, ctx) {
		if ctx.Err() == nil {
			return false, nil
		}
		outcome = nil
	}
	if errors.Is(outcome, controller.ErrStillRunning) {
		c.log.Error("The lease is not released, because something started by lead is still running: others wait until it expires", "lasts", c.machine.leaseDuration)
		return true, outcome
	}
	c.release(ctx)
	return true, outcome
}

// isContextEnd reports whether err says no more than that lead's context has ended.
func isContextEnd(err error, ctx context.Context) bool {
	return err == nil || errors.Is(err, context.Canceled) || errors.Is(err, controller.ErrNotLeading) ||
		ctx.Err() != nil && errors.Is(err, context.Cause(ctx))
}

// renewLoop renews the Lease until lead has returned or the term is over.
func (c *campaign) renewLoop(ctx context.Context, t *term) {
	for ctx.Err() == nil && !t.hasEnded() {
		s := c.machine.next(time.Now())
		if s.do == wait {
			c.waitUntil(ctx, t, s.until)
			continue
		}
		c.perform(ctx, s)
		if c.machine.leading {
			t.extend(c.machine.renewed, c.renewedWall)
		} else if ctx.Err() == nil {
			t.end()
		}
	}
	if t.hasEnded() {
		c.machine.lost()
		c.publish()
	}
}

// waitUntil waits until then, or until the term or ctx ends.
func (c *campaign) waitUntil(ctx context.Context, t *term, then time.Time) {
	timer := time.NewTimer(min(time.Until(then), t.remaining()))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.leading.Done():
	case <-ctx.Done():
	}
}

// waitForLead waits for lead after the term has ended, for as long as other candidates
// wait before they lead. It waits longer if the process was paused meanwhile or if the
// Lease was taken by another process; no limit would be exact then. It returns false
// if lead has not returned.
func (c *campaign) waitForLead(returned context.Context) bool {
	left := c.machine.leaseDuration - c.machine.renewDeadline
	c.log.Warn("This process no longer leads: the lease was not renewed in time, or was taken", "holder", c.machine.record.holder, "left", left)
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-returned.Done():
		return true
	case <-timer.C:
	}
	c.log.Error("The lead function has not returned, and another process may lead from now on: it must return when its context ends")
	return false
}
