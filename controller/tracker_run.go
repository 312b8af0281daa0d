package controller

import (
	"github.com/thinformer/thinformer/controller/internal/reads"
)

// tracking returns the tracker of the run, nil if nothing is tracked.
func (r *run) tracking() readTracker {
	if t := r.tracker.Load(); t != nil {
		return *t
	}
	return nil
}

// track returns the tracker of the run and creates it if there is none.
func (r *run) track() *tracker {
	if t := r.tracking(); t != nil {
		return t.(*tracker)
	}
	r.creating.Lock()
	defer r.creating.Unlock()
	if t := r.tracking(); t != nil {
		return t.(*tracker)
	}
	t := newTracker(r)
	if r.readsStopped { // a goroutine of the user has outlived the run
		t.stopped = true
		return t
	}
	c := r.c
	c.mu.Lock()
	last := c.lastReads
	c.lastReads = nil
	c.restoreReads = func(r *run) { r.track() }
	c.mu.Unlock()
	if last != nil {
		t.restore(last.(*tracker))
	}
	r.tracker.Store(new(readTracker(t)))
	return t
}

func newTracker(r *run) *tracker {
	t := &tracker{run: r, graph: reads.NewGraph[Request](), owed: map[Request]struct{}{}}
	t.sources.Store(&map[any]*trackedSource{})
	return t
}

// restore takes over the dependencies of the last run. They remain until a reconcile of
// their request succeeds.
func (t *tracker) restore(last *tracker) {
	t.graph = last.graph
	t.graph.ForgetRun()
	for _, old := range last.all {
		if !t.run.c.hasSource(old.informer) { // it was removed between the runs
			t.graph.Remove(old.source, old)
		}
	}
	for _, req := range t.graph.Requests() {
		t.owed[req] = struct{}{}
	}
	sources := map[any]*trackedSource{}
	restored := map[*trackedSource]*trackedSource{}
	for _, old := range last.all {
		if t.run.c.hasSource(old.informer) {
			s := &trackedSource{tracker: t, informer: old.informer, source: old.source, indexes: old.indexes}
			s.source.MayBeOwn = false
			s.remove = s.informer.Observe(s.observe)
			restored[old], t.all = s, append(t.all, s)
		}
	}
	for handle, old := range *last.sources.Load() {
		if s := restored[old]; s != nil {
			sources[handle] = s
		}
	}
	t.sources.Store(&sources)
}

// startReads restores the tracked reads of the last run.
func (r *run) startReads() {
	c := r.c
	c.mu.Lock()
	restore, last := c.restoreReads, c.lastReads
	c.mu.Unlock()
	if last != nil {
		restore(r)
	}
}

// stopReads is called when all workers have ended.
func (r *run) stopReads() {
	r.creating.Lock()
	r.readsStopped = true
	t := r.tracking()
	r.creating.Unlock()
	if t != nil {
		t.stop()
	}
}

// isForgotten reports whether the dependencies of a request are dropped after a
// success: the controller has a For, and none of its informers has the object. When the
// object appears, For enqueues the request.
func (r *run) isForgotten(req Request) bool {
	key, hasFor := req.String(), false
	for _, w := range r.c.sources() {
		watch, ok := w.(resyncable)
		if !ok || !watch.isFor() {
			continue
		}
		if _, found := w.informer().Object(key); found {
			return false
		}
		hasFor = true
	}
	return hasFor
}
