package leader

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// What may fail.
const (
	reading  = "read the lease"
	writing  = "write the lease"
	creating = "create the lease"
)

// remaining is the time until the deadline of ctx, if it has one.
func remaining(ctx context.Context) (time.Duration, bool) {
	deadline, bounded := ctx.Deadline()
	return max(time.Until(deadline), 0), bounded
}

// read asks the server what it has.
func (c *candidacy) read(ctx context.Context, until time.Time) {
	within, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	found, err := c.server.get(within)
	now := time.Now()
	switch {
	case apierrors.IsNotFound(err):
		c.machine.has(nil, now)
	case err != nil:
		c.failed(ctx, reading, err)
		return
	default:
		c.machine.has(found, now)
		c.stranger()
	}
	if c.trouble.doing == reading || !c.machine.wants(now) {
		c.trouble.over()
	}
}

// write sends a record in the place of the one that was read last.
func (c *candidacy) write(ctx context.Context, until, wall time.Time, r record) {
	within, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	before := c.machine.newest
	doing := writing
	if before == nil {
		before, doing = newLease(c.server.namespace, c.server.name), creating
	}
	c.machine.sending(r)
	// From here on the renewal counts: others see it later.
	begun := time.Now()
	stored, err := c.server.put(within, before.with(r))
	now := time.Now()
	switch {
	case err == nil:
		c.machine.accepted(stored, begun, now)
		c.renewedWall = wall
		c.trouble.over()
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		c.machine.refused(now)
	case apierrors.IsNotFound(err) && c.machine.newest != nil:
		c.machine.has(nil, now)
	default:
		c.failed(ctx, doing, err)
	}
}

// failed is told of a request that was not answered, or not with what was asked
// for.
func (c *candidacy) failed(ctx context.Context, doing string, err error) {
	asked, _ := apierrors.SuggestsClientDelay(err)
	c.machine.failed(time.Now(), time.Duration(asked)*time.Second)
	if ctx.Err() != nil {
		return // it was we who gave up
	}
	if errors.Is(err, context.DeadlineExceeded) {
		// The connection may be dead, and nobody else may have noticed yet.
		c.server.client.Reconnect()
	}
	c.trouble.is(doing, err)
}

// release gives the Lease back, if it is ours or may be. What lead has done must
// have ended.
func (c *candidacy) release(ctx context.Context) {
	// Less than others give a program that ends: it is a courtesy.
	patience := c.machine.renewDeadline / 3
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	c.machine.lost()
	defer c.publish()
	for ctx.Err() == nil {
		until := time.Now().Add(patience / 2)
		switch s := c.machine.nextRelease(time.Now()); s.do {
		case nothing:
			return
		case wait:
			sleep(ctx, s.until)
		case read:
			c.read(ctx, until)
		case write:
			wall := c.elector.wall()
			c.write(ctx, until, wall, c.machine.released(wall))
			if c.machine.record.holder == "" {
				c.log.Info("gave the lease back")
				return
			}
		}
	}
	c.log.Warn("could not give the lease back: others wait until it has run out", "lasts", c.machine.lasts)
}

// stranger logs that the Lease is held by one of our name who is not us: another
// process, or this one before it was started again.
func (c *candidacy) stranger() {
	m := &c.machine
	if m.record.holder == m.identity && !m.isOurs() && c.warned != m.record.acquire {
		c.warned = m.record.acquire
		c.log.Warn("the lease is held by another process of the same identity, or by an earlier run of this one: it is waited for",
			"acquired", m.record.acquire)
	}
}
