package controller

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/thinformer/thinformer/rest"
)

// StaleError says that an informer of a controller has not seen what a reconcile
// has written within WriteTimeout. The key is not reconciled before it has.
type StaleError struct {
	Controller string
	Request    Request
	// Written is what the informer has not seen.
	Written rest.Written
	// Informer is its name, and Version how far it is.
	Informer, Version string
	// Waited is since the reconcile has ended.
	Waited time.Duration
	// Err is the last failure of the informer's source, nil if there is none.
	Err error
}

// Error implements error.
func (e *StaleError) Error() string {
	w := e.Written
	var text strings.Builder
	fmt.Fprintf(&text, "controller %s: %s waits: informer %s", e.Controller, e.Request, e.Informer)
	if w.ResourceVersion == "" {
		fmt.Fprintf(&text, " has not seen the deletion of %s %s", w.Resource.GroupResource(), keyOf(w.Namespace, w.Name))
	} else {
		fmt.Fprintf(&text, " has not seen %s %s at version %s, which was written (%s)", w.Resource.GroupResource(), keyOf(w.Namespace, w.Name), w.ResourceVersion, w.Verb)
	}
	fmt.Fprintf(&text, "; it is at version %q after %v", e.Version, e.Waited.Round(time.Millisecond))
	if e.Err != nil {
		fmt.Fprintf(&text, ": %v", e.Err)
	}
	return text.String()
}

// Unwrap is the source's failure.
func (e *StaleError) Unwrap() error { return e.Err }

// ring is called when a key has waited for WriteTimeout, and each time again. It
// is reported once.
func (g *gate) ring(h *hold) {
	g.check(g.waitsOf(h))
	late := g.waitsOf(h)
	if len(late) == 0 {
		return
	}
	if g.overdueNow(h) {
		g.report(late[0])
	}
	for _, w := range late {
		if !w.deletion() && !hasOrder(w.written.ResourceVersion) {
			g.over(w) // it may have gone by: nobody can say
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held[h.request] == h {
		g.work.Add(1)
		h.timer.Reset(g.run.c.options.WriteTimeout)
	}
}

func (g *gate) waitsOf(h *hold) []*wait {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held[h.request] != h {
		return nil
	}
	return slices.Collect(maps.Keys(h.waits))
}

// overdueNow says whether it is the first time. An error has the key come again,
// so it is wanted.
func (g *gate) overdueNow(h *hold) (first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	first = !h.overdue
	h.overdue, h.wanted = true, true
	return first
}

// report tells that a key still waits.
func (g *gate) report(w *wait) {
	state := w.place.inf.State()
	stale := &StaleError{
		Controller: g.run.c.name, Request: w.hold.request, Written: w.written,
		Informer: state.Name, Version: state.Version, Waited: time.Since(w.hold.since), Err: state.Source.Err,
	}
	g.mu.Lock()
	w.hold.stale = stale
	g.mu.Unlock()
	g.run.loggerOf(stale.Request).Error("What was written has not come back", "err", stale)
	if t := g.run.c.options.Trace; t != nil && t.Stale != nil {
		g.run.tell(func() { t.Stale(g.run.info(stale.Request), stale) })
	}
}
