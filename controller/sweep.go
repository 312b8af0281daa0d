package controller

import (
	"iter"
	"math/rand/v2"
	"time"
)

// sweepStep is the shortest time between two steps of a sweep: with many objects
// a step is several of them.
const sweepStep = 100 * time.Millisecond

// sweepable is a watch whose objects the sweep goes over.
type sweepable interface {
	isFor() bool
	// size is how many objects there are about.
	size() int
	// keys are those of one moment. What is there later is not among them, and
	// who holds on to them holds no object.
	keys() iter.Seq[string]
	// request is what a key stands for, if its object is there still.
	request(key string) (Request, bool)
}

// sweep queues the key of every object once in each period, evenly spread. It
// begins somewhere in the first, so that several controllers do not go in step.
func (r *run) sweep(of sweepable) {
	period := max(r.c.options.Sweep, sweepStep)
	step := time.NewTimer(rand.N(period))
	defer step.Stop()
	if !r.awaits(step) {
		return
	}
	for r.ctx.Err() == nil && r.sweepOnce(of, time.Now(), period, step) {
	}
}

// sweepOnce is one period. Until its step-th part has passed so many objects
// have been queued; it walks over the keys as it goes, and neither copies nor
// sorts them.
func (r *run) sweepOnce(of sweepable, begin time.Time, period time.Duration, step *time.Timer) bool {
	next, stop := iter.Pull(of.keys())
	defer stop()
	n := of.size()
	pause := max(sweepStep, period/time.Duration(n+1))
	for swept, more := 0, true; ; {
		left := period - time.Since(begin)
		due := n - int(float64(n)*float64(left)/float64(period))
		for more && (swept < due || left <= 0) {
			var key string
			if key, more = next(); more {
				swept++
				r.sweepKey(of, key)
			}
		}
		if left <= 0 {
			return true
		}
		step.Reset(min(pause, left))
		if !r.awaits(step) {
			return false
		}
	}
}

func (r *run) sweepKey(of sweepable, key string) {
	if req, ok := of.request(key); ok {
		r.queueKey(req, ReasonSwept)
	}
}

// awaits reports whether the timer has rung before the end of the run.
func (r *run) awaits(t *time.Timer) bool {
	select {
	case <-t.C:
		return true
	case <-r.ctx.Done():
		return false
	}
}
