package leader

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/thinformer/thinformer/controller"
)

// errGoexit is what came of a lead that did not return, but ended its goroutine.
var errGoexit = errors.New("leader: lead has called runtime.Goexit")

// reign calls lead and renews the Lease until it has returned. over is that Run
// is at its end, with err.
func (c *candidacy) reign(ctx context.Context, lead func(context.Context) error) (over bool, err error) {
	e := c.elector
	t := newTerm(ctx, c.machine.renewDeadline, c.machine.renewed, c.renewedWall, time.Now, e.wall)
	defer t.endActing(context.Canceled)
	defer t.endLeading(context.Canceled)
	if t.isOver() { // the machine was suspended while it won
		c.machine.lost()
		return false, nil
	}
	e.begins(t)
	c.publish()
	c.log.Info("this process leads", "transitions", c.machine.record.transitions)

	// renewing ends with lead, so that no renewal is waited for that is of no
	// more use.
	renewing, returned := context.WithCancel(context.WithoutCancel(ctx))
	outcome := errGoexit
	told := false // lead was told to end before it did
	go func() {
		defer returned()
		defer e.ends(t)
		acting := termContext{t.acting, t}
		outcome = lead(acting)
		told = acting.Err() != nil
	}()
	c.renew(renewing, t)
	if renewing.Err() == nil && !c.windDown(renewing) {
		return true, fmt.Errorf("%w: the lease %s may be taken, %v after its last renewal", ErrStillActing, e.state.Lease, c.machine.lasts)
	}
	if told && isEndOf(outcome, ctx) {
		if ctx.Err() == nil {
			return false, nil
		}
		outcome = nil
	}
	if errors.Is(outcome, controller.ErrStillRunning) {
		c.log.Error("the lease is not given back, as something goes on that lead has left behind: others wait until it has run out", "lasts", c.machine.lasts)
		return true, outcome
	}
	c.release(ctx)
	return true, outcome
}

// isEndOf is whether err is no more than that lead's context has ended.
func isEndOf(err error, ctx context.Context) bool {
	return err == nil || errors.Is(err, context.Canceled) || errors.Is(err, controller.ErrNotLeading) ||
		ctx.Err() != nil && errors.Is(err, context.Cause(ctx))
}

// renew keeps the Lease until lead has returned or the term is over.
func (c *candidacy) renew(ctx context.Context, t *term) {
	for ctx.Err() == nil && !t.isOver() {
		s := c.machine.next(time.Now())
		if s.do == wait {
			c.idle(ctx, t, s.until)
			continue
		}
		c.take(ctx, s)
		if c.machine.leading {
			t.extend(c.machine.renewed, c.renewedWall)
		} else if ctx.Err() == nil {
			t.end()
		}
	}
	if t.isOver() {
		c.machine.lost()
		c.publish()
	}
}

// idle waits until then, or until there is something else to do.
func (c *candidacy) idle(ctx context.Context, t *term, then time.Time) {
	timer := time.NewTimer(min(time.Until(then), t.left()))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.leading.Done():
	case <-ctx.Done():
	}
}

// windDown waits for lead after the term is over, for as long as others wait
// before they lead: longer, if the process was paused meanwhile or the Lease
// taken from it, but then no moment is the right one. It is false if lead has not
// returned.
func (c *candidacy) windDown(returned context.Context) bool {
	left := c.machine.lasts - c.machine.renewDeadline
	c.log.Warn("this process no longer leads: the lease was not renewed in time, or taken", "holder", c.machine.record.holder, "left", left)
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-returned.Done():
		return true
	case <-timer.C:
	}
	c.log.Error("what this process does as the leader has not ended, and others may lead from now on")
	return false
}
