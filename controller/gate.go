package controller

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/thinformer/thinformer/rest"
)

// gate keeps a key from being reconciled before the informers of the controller
// have seen what its last reconcile wrote.
//
// A reconcile that writes nothing costs it nothing. What was written is asked of
// the informers when the reconcile has ended. If one has not seen it yet, the key
// is held: a worker that gets it puts it aside. It is queued again when the
// informers' events, or their versions, say that all has been seen, if it was put
// aside meanwhile.
type gate struct {
	run    *run
	places []*place

	// ctx ends the goroutines that follow informers, and work counts those, and
	// the timers that may yet ring.
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu   sync.Mutex
	held map[Request]*hold
	// stopped: what is held is the controller's, for its next run.
	stopped bool
}

// A hold is a key that must wait. All of it belongs to the gate's lock.
type hold struct {
	request Request
	since   time.Time
	// waits are those for which something is yet to be seen.
	waits map[*wait]struct{}
	// wanted: a worker has put the key aside.
	wanted bool
	timer  *time.Timer
	// overdue: it was reported that nothing has come; stale is the report.
	overdue bool
	stale   *StaleError
}

func newGate(r *run) *gate {
	g := &gate{run: r, held: map[Request]*hold{}}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	for _, w := range r.c.watches {
		if inf, ok := w.any().(follower); ok && g.placeOf(inf) == nil {
			g.places = append(g.places, &place{gate: g, inf: inf})
		}
	}
	return g
}

func (g *gate) placeOf(inf any) *place {
	for _, p := range g.places {
		if any(p.inf) == inf {
			return p
		}
	}
	return nil
}

// holds reports whether the key that a worker has got must wait. Then the worker
// puts it aside, and the gate queues it again when it may go on.
func (g *gate) holds(req Request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	h := g.held[req]
	if h == nil {
		return false
	}
	h.wanted = true
	return true
}

// wrote is told of each write that the server has accepted, on the goroutine
// that has made it: while the reconcile runs, or afterwards.
func (g *gate) wrote(job *reconciling, written rest.Written) {
	waits := g.waitsFor(written)
	if len(waits) == 0 {
		return
	}
	job.mu.Lock()
	settled := job.settled
	if !settled {
		job.unseen = with(job.unseen, waits)
	}
	job.mu.Unlock()
	if settled {
		g.hold(job.request, waits)
	}
}

// settle is told that a reconcile has returned, before its key can come to
// another worker.
func (g *gate) settle(job *reconciling) {
	job.mu.Lock()
	waits := job.unseen
	job.unseen, job.settled = nil, true
	job.mu.Unlock()
	g.hold(job.request, waits)
}

// hold holds a key until all of it has been seen. First it is noted who waits,
// and then the stores are asked: what comes in between is not missed.
func (g *gate) hold(req Request, waits []*wait) {
	if len(waits) == 0 {
		return
	}
	if !g.note(req, waits) {
		g.run.c.inherit(map[Request][]*wait{req: waits})
		return
	}
	g.check(waits)
	g.follow(waits)
}

func (g *gate) note(req Request, waits []*wait) (noted bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped {
		return false
	}
	h := g.held[req]
	if h == nil {
		h = &hold{request: req, since: time.Now(), waits: map[*wait]struct{}{}}
		g.held[req] = h
		g.work.Add(1)
		h.timer = time.AfterFunc(g.run.c.options.WriteTimeout, func() { defer g.work.Done(); g.ring(h) })
	}
	for _, w := range waits {
		w.hold = h
		h.waits[w] = struct{}{}
		w.place.add(w)
	}
	return true
}

// look checks who waits for an object.
func (g *gate) look(p *place, key string) {
	g.mu.Lock()
	waits := slices.Clone(p.byKey[key])
	g.mu.Unlock()
	g.check(waits)
}

func (g *gate) check(waits []*wait) {
	for _, w := range waits {
		if w.seen() {
			g.over(w)
		}
	}
}

// over ends a wait. With the last one the key may go on.
func (g *gate) over(w *wait) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped || w.over {
		return
	}
	w.over = true
	w.place.remove(w)
	h := w.hold
	delete(h.waits, w)
	if len(h.waits) > 0 {
		return
	}
	delete(g.held, h.request)
	if h.timer.Stop() {
		g.work.Done()
	}
	if h.wanted {
		g.run.queue.Add(h.request)
	}
}

// stop is told that no worker is left. What is still held the controller keeps
// for its next run: the informers may be as late then.
func (g *gate) stop() {
	g.cancel()
	g.run.c.inherit(g.close())
	g.work.Wait()
}

func (g *gate) close() map[Request][]*wait {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped = true
	left := map[Request][]*wait{}
	for req, h := range g.held {
		left[req] = slices.Collect(maps.Keys(h.waits))
		if h.timer.Stop() {
			g.work.Done()
		}
	}
	g.held = nil
	return left
}

// into tells how many keys are held, and of those for which it has been too long.
func (g *gate) into(s *State) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s.Held = len(g.held)
	for _, h := range g.held {
		if h.stale != nil && len(s.Stale) < maxListed {
			s.Stale = append(s.Stale, h.stale)
		}
	}
}

// start holds what the controller's last run has left, before there are workers
// and after the informers' events come: none is missed.
func (g *gate) start() {
	for req, waits := range g.run.c.bequeathed() {
		g.adopt(req, waits)
	}
}

// adopt holds what another run has written.
func (g *gate) adopt(req Request, waits []*wait) {
	var own []*wait
	for _, w := range waits {
		if p := g.placeOf(w.place.inf); p != nil {
			own = append(own, &wait{written: w.written, place: p, key: w.key, uid: w.uid, after: w.after, epoch: w.epoch})
		}
	}
	g.hold(req, own)
}

// inherit keeps what a run has written and not seen, for the next one.
func (c *Controller) inherit(left map[Request][]*wait) {
	if len(left) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unseen == nil {
		c.unseen = map[Request][]*wait{}
	}
	for req, waits := range left {
		c.unseen[req] = append(c.unseen[req], waits...)
	}
}

// bequeathed is what runs that have ended have left.
func (c *Controller) bequeathed() map[Request][]*wait {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.unseen
	c.unseen = nil
	return left
}
