package controller

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"
)

// minResyncStep is the minimum time between two steps of a resync. With many objects a
// step enqueues several of them.
const minResyncStep = 100 * time.Millisecond

// resyncable is a watch whose objects are resynced.
type resyncable interface {
	isFor() bool
	// size returns the approximate number of objects.
	size() int
	// keys iterates over the keys of one moment. It does not include objects that are
	// created later, and retains no objects.
	keys() iter.Seq[string]
	// request returns the request for a key, if its object still exists.
	request(key string) (Request, bool)
}

// resync enqueues the key of every object once in each period, evenly spread, until the
// run ends or the watch is removed. It starts at a random time in the first period, so that several controllers are not
// synchronized.
func (r *run) resync(watch resyncable, removal context.Context) {
	period := max(r.c.options.ResyncPeriod, minResyncStep)
	step := time.NewTimer(rand.N(period))
	defer step.Stop()
	if !r.waitTimer(step, removal) {
		return
	}
	for r.ctx.Err() == nil && r.resyncOnce(watch, removal, time.Now(), period, step) {
	}
}

// resyncOnce runs one period. At each step it has enqueued the part of the objects
// that corresponds to the elapsed part of the period. It iterates over the keys
// without copying or sorting them.
func (r *run) resyncOnce(watch resyncable, removal context.Context, begin time.Time, period time.Duration, step *time.Timer) bool {
	next, stop := iter.Pull(watch.keys())
	defer stop()
	n := watch.size()
	pause := max(minResyncStep, period/time.Duration(n+1))
	for queued, more := 0, true; ; {
		left := period - time.Since(begin)
		due := n - int(float64(n)*float64(left)/float64(period))
		for more && (queued < due || left <= 0) {
			var key string
			if key, more = next(); more {
				queued++
				r.resyncKey(watch, key)
			}
		}
		if left <= 0 {
			return true
		}
		step.Reset(min(pause, left))
		if !r.waitTimer(step, removal) {
			return false
		}
	}
}

func (r *run) resyncKey(watch resyncable, key string) {
	if req, ok := watch.request(key); ok {
		r.queueKey(req, ReasonResync, "")
	}
}

// waitTimer reports whether the timer fired before the end of the run and the removal.
func (r *run) waitTimer(t *time.Timer, removal context.Context) bool {
	select {
	case <-t.C:
		return true
	case <-r.ctx.Done():
	case <-removal.Done():
	}
	return false
}
