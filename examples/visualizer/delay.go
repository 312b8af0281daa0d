package main

import (
	"context"
	"sync"
	"time"
)

// A delay is a time to wait that can be changed, also during a wait. The zero value is
// no delay.
type delay struct {
	mu   sync.Mutex
	time time.Duration
	// changed is closed when the time changes; nil if nothing waits.
	changed chan struct{}
}

// set changes the delay, and ends the waits in progress.
func (d *delay) set(to time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.time = to
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
}

func (d *delay) get() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.time
}

// wait waits for the delay, until ctx ends or until the delay is changed.
func (d *delay) wait(ctx context.Context) error {
	d.mu.Lock()
	if d.time <= 0 {
		d.mu.Unlock()
		return ctx.Err()
	}
	if d.changed == nil {
		d.changed = make(chan struct{})
	}
	timer, changed := time.NewTimer(d.time), d.changed
	d.mu.Unlock()
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changed:
	case <-timer.C:
	}
	return nil
}

// wait waits for a time, or until ctx ends.
func wait(ctx context.Context, time time.Duration) error {
	return (&delay{time: time}).wait(ctx)
}
