package controller

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// gate prevents a key from being reconciled before the informers of the controller
// have observed what its last reconcile wrote.
//
// It adds no cost to a reconcile that writes nothing. When a reconcile has ended, the
// gate checks whether the informers have observed its writes. If not, the key is held:
// a worker that gets it skips it. When the events or the version of the informers show
// that all writes were observed, a key that was skipped is enqueued again.
type gate struct {
	run *run
	// informers are replaced when one is added or removed, under mu.
	informers atomic.Pointer[[]*trackedInformer]

	// ctx ends the goroutines that follow informers, and queries. wg counts those
	// goroutines and the active timers.
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	// queries is a semaphore for queries in progress.
	queries chan struct{}

	mu   sync.Mutex
	held map[Request]*heldKey
	// stopped is set when the held keys have been handed to the controller for its
	// next run.
	stopped bool
}

// heldKey is a key that must wait. It is guarded by gate.mu.
type heldKey struct {
	request Request
	since   time.Time
	// waits are the waits that have not ended.
	waits map[*wait]struct{}
	// requeue is set when a worker has skipped the key.
	requeue bool
	timer   *time.Timer
	// early is set if the timer fires before WriteTimeout, because the informer's
	// selectors excluded an awaited object before.
	early bool
	// reported is set when the wait has exceeded WriteTimeout and was reported. stale
	// is the report.
	reported bool
	stale    *StaleError
}

func newGate(r *run) *gate {
	g := &gate{run: r, held: map[Request]*heldKey{}, queries: make(chan struct{}, maxQueries)}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	for _, w := range r.c.watches {
		g.addInformer(w.informer())
	}
	return g
}

// tracked returns the informers at this moment.
func (g *gate) tracked() []*trackedInformer {
	if all := g.informers.Load(); all != nil {
		return *all
	}
	return nil
}

// addInformer adds an informer, unless the gate has it.
func (g *gate) addInformer(inf informer.AnyInformer) {
	shared, ok := inf.(sharedInformer)
	if !ok {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.informerOf(shared) == nil {
		all := append(slices.Clone(g.tracked()), &trackedInformer{gate: g, shared: shared})
		g.informers.Store(&all)
	}
}

// removeInformer ends the waits for an informer that the controller no longer watches.
func (g *gate) removeInformer(inf informer.AnyInformer) {
	g.mu.Lock()
	p := g.informerOf(inf)
	if p == nil {
		g.mu.Unlock()
		return
	}
	all := slices.DeleteFunc(slices.Clone(g.tracked()), func(other *trackedInformer) bool { return other == p })
	g.informers.Store(&all)
	p.removed = true
	waits := slices.Concat(slices.Collect(maps.Values(p.byKey))...)
	g.mu.Unlock()
	for _, w := range waits {
		g.finish(w)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range p.followers {
		if f.cancelWait != nil {
			f.cancelWait() // its goroutine finds no waits, and ends
		}
	}
}

// informerOf returns the informer, which may have been requested from a factory several
// times.
func (g *gate) informerOf(inf informer.AnyInformer) *trackedInformer {
	for _, p := range g.tracked() {
		if informer.SameInformer(p.shared, inf) {
			return p
		}
	}
	return nil
}

// holds reports whether a worker must skip the key. The gate then enqueues it again
// when it is released.
func (g *gate) holds(req Request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	h := g.held[req]
	if h == nil {
		return false
	}
	h.requeue = true
	return true
}

// wrote is called for each write that the server has accepted, on the goroutine that
// made it, during the reconcile or after it.
func (g *gate) wrote(job *reconcileContext, written rest.WriteInfo) {
	waits := g.newWaits(written)
	if len(waits) == 0 {
		return
	}
	job.mu.Lock()
	settled := job.settled
	if !settled {
		job.waits = mergeWaits(job.waits, waits)
	}
	job.mu.Unlock()
	if settled {
		g.holdKey(job.request, waits)
	}
}

// reconcileEnded is called when a reconcile has returned, before another worker can
// get its key.
func (g *gate) reconcileEnded(job *reconcileContext) {
	job.mu.Lock()
	waits := job.waits
	job.waits, job.settled = nil, true
	job.mu.Unlock()
	g.holdKey(job.request, waits)
}

// holdKey holds a key until all waits have ended. It registers the waits before it
// checks the stores, so that no event in between is missed.
func (g *gate) holdKey(req Request, waits []*wait) {
	if len(waits) == 0 {
		return
	}
	if !g.register(req, waits) {
		g.run.c.savePending(map[Request][]*wait{req: waits})
		return
	}
	g.check(waits)
	g.followInformers(waits)
}

func (g *gate) register(req Request, waits []*wait) (noted bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped {
		return false
	}
	if waits = presentWaits(waits); len(waits) == 0 {
		return true
	}
	h := g.held[req]
	if h == nil {
		h = &heldKey{request: req, since: time.Now(), waits: map[*wait]struct{}{}}
		g.held[req] = h
		g.wg.Add(1)
		delay := g.run.c.options.WriteTimeout
		if h.early = slices.ContainsFunc(waits, (*wait).wasLeftOut); h.early {
			delay = min(delay, earlyQueryDelay)
		}
		h.timer = time.AfterFunc(delay, func() { defer g.wg.Done(); g.timerFired(h) })
	}
	for _, w := range waits {
		w.heldKey = h
		h.waits[w] = struct{}{}
		w.informer.add(w)
	}
	return true
}

// presentWaits returns the waits for informers that have not been removed, and ends the
// others. It needs mu.
func presentWaits(waits []*wait) (present []*wait) {
	for _, w := range waits {
		if w.done = w.informer.removed; !w.done {
			present = append(present, w)
		}
	}
	return present
}

// checkObject checks the waits for an object.
func (g *gate) checkObject(p *trackedInformer, key string) {
	g.mu.Lock()
	waits := slices.Clone(p.byKey[key])
	g.mu.Unlock()
	g.check(waits)
}

func (g *gate) check(waits []*wait) {
	for _, w := range waits {
		if w.seen() {
			g.finish(w)
		}
	}
}

// finish ends a wait. The last one releases the key.
func (g *gate) finish(w *wait) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped || w.done {
		return
	}
	w.done = true
	w.informer.remove(w)
	if w.arrived != nil {
		close(w.arrived)
		return
	}
	h := w.heldKey
	delete(h.waits, w)
	if len(h.waits) > 0 {
		return
	}
	delete(g.held, h.request)
	if h.timer.Stop() {
		g.wg.Done()
	}
	if h.requeue {
		g.run.queue.Add(h.request)
	}
}

// fill adds the number of held keys and the stale ones.
func (g *gate) fill(s *State) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s.Held = len(g.held)
	for _, h := range g.held {
		if h.stale != nil && len(s.Stale) < maxListed {
			s.Stale = append(s.Stale, h.stale)
		}
	}
}
