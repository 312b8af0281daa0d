package leader

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Operations in log messages and errors.
const (
	opRead   = "read the lease"
	opWrite  = "write the lease"
	opCreate = "create the lease"
)

// remaining returns the time until the deadline of ctx, and whether it has one.
func remaining(ctx context.Context) (time.Duration, bool) {
	deadline, bounded := ctx.Deadline()
	return max(time.Until(deadline), 0), bounded
}

// read reads the Lease from the server.
func (c *campaign) read(ctx context.Context, until time.Time) {
	bounded, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	found, err := c.server.get(bounded)
	now := time.Now()
	switch {
	case apierrors.IsNotFound(err):
		c.machine.observed(nil, now)
	case err != nil:
		c.failed(ctx, opRead, err)
		return
	default:
		c.machine.observed(found, now)
		c.warnSameIdentity()
	}
	if c.failures.op == opRead || !c.machine.shouldWrite(now) {
		c.failures.resolve()
	}
}

// write sends a record to replace the one that was last read.
func (c *campaign) write(ctx context.Context, until, wallTime time.Time, r record) {
	bounded, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	before := c.machine.newest
	doing := opWrite
	if before == nil {
		before, doing = newLease(c.server.namespace, c.server.name), opCreate
	}
	c.machine.recordSent(r)
	// The renewal counts from here, which is before others can observe it.
	begun := time.Now()
	stored, err := c.server.put(bounded, before.withRecord(r))
	now := time.Now()
	switch {
	case err == nil:
		c.machine.accepted(stored, begun, now)
		c.renewedWall = wallTime
		c.failures.resolve()
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		c.machine.refused(now)
	case apierrors.IsNotFound(err) && c.machine.newest != nil:
		c.machine.observed(nil, now)
	default:
		c.failed(ctx, doing, err)
	}
}

// failed handles a request that failed or got no response.
func (c *campaign) failed(ctx context.Context, doing string, err error) {
	asked, _ := apierrors.SuggestsClientDelay(err)
	c.machine.failed(time.Now(), time.Duration(asked)*time.Second)
	if ctx.Err() != nil {
		return // canceled by this process
	}
	if errors.Is(err, context.DeadlineExceeded) {
		// The connection may be dead. The connections of the program's client take the
		// same route and may be dead as well.
		c.server.client.Reconnect()
		c.elector.client.Reconnect()
	}
	c.failures.report(doing, err)
}

// release releases the Lease if this process holds it or may hold it. lead must have
// returned.
func (c *campaign) release(ctx context.Context) {
	// Releasing is optional. Use less time than a program has to stop.
	timeout := c.machine.renewDeadline / 3
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	c.machine.lost()
	defer c.publish()
	for ctx.Err() == nil {
		until := time.Now().Add(timeout / 2)
		switch s := c.machine.nextRelease(time.Now()); s.do {
		case done:
			return
		case wait:
			sleep(ctx, s.until)
		case read:
			c.read(ctx, until)
		case write:
			wallTime := c.elector.wallClock()
			c.write(ctx, until, wallTime, c.machine.releasedRecord(wallTime))
			if c.machine.record.holder == "" {
				c.log.Info("Released the lease")
				return
			}
		}
	}
	c.log.Warn("Could not release the lease: others wait until it expires", "lasts", c.machine.leaseDuration)
}

// warnSameIdentity logs that the Lease is held with our identity, but not by this run:
// by another process, or by this one before a restart.
func (c *campaign) warnSameIdentity() {
	m := &c.machine
	if m.record.holder == m.identity && !m.isOurs() && c.warned != m.record.acquire {
		c.warned = m.record.acquire
		c.log.Warn("The lease is held by another process with the same identity, or by an earlier run of this one: waiting for it to expire",
			"acquired", m.record.acquire)
	}
}
