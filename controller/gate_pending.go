package controller

import (
	"maps"
	"slices"
)

// stop is called when all workers have ended. The controller saves the remaining waits
// for its next run, since the informers may still be late then.
func (g *gate) stop() {
	g.cancel()
	g.run.c.savePending(g.close())
	g.wg.Wait()
}

func (g *gate) close() map[Request][]*wait {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped = true
	waiting := map[Request][]*wait{}
	for req, h := range g.held {
		waiting[req] = slices.Collect(maps.Keys(h.waits))
		if h.timer.Stop() {
			g.wg.Done()
		}
	}
	g.held = nil
	return waiting
}

// start restores the waits of the last run, before the workers start and after the
// informers' events are received, so that none is missed.
func (g *gate) start() {
	for req, waits := range g.run.c.takePending() {
		g.restorePending(req, waits)
	}
}

// restorePending holds a key for the writes of another run.
func (g *gate) restorePending(req Request, waits []*wait) {
	var own []*wait
	for _, w := range waits {
		if p := g.informerOf(w.informer.shared); p != nil {
			own = append(own, w.copyFor(p))
		}
	}
	g.holdKey(req, own)
}

// savePending saves waits that have not ended for the next run.
func (c *Controller) savePending(left map[Request][]*wait) {
	if len(left) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pendingWrites == nil {
		c.pendingWrites = map[Request][]*wait{}
	}
	for req, waits := range left {
		c.pendingWrites[req] = append(c.pendingWrites[req], waits...)
	}
}

// takePending returns and clears the saved waits.
func (c *Controller) takePending() map[Request][]*wait {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.pendingWrites
	c.pendingWrites = nil
	return left
}
