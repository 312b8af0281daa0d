package controller

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/thinformer/thinformer/internal/resourceversion"
	"github.com/thinformer/thinformer/rest"
)

// StaleError reports that an informer of a controller has not observed a write of a
// reconcile within WriteTimeout, or within ten seconds while a tracked read of the same
// reconcile waits. The key is not reconciled until the informer has observed the write.
type StaleError struct {
	Controller string
	Request    Request
	// Write is the write that the informer has not observed.
	Write rest.WriteInfo
	// Informer is the name of the informer, Version its current version.
	Informer, Version string
	// Waited is the time since the reconcile ended, or since the read began.
	Waited time.Duration
	// Err is the last failure of the informer's source, nil if there is none.
	Err error
	// Listed is true if a list with the informer's selectors includes the object: the
	// informer is late.
	Listed bool
	// QueryErr is the reason why such a list failed, so that it is not known whether
	// the informer is late or its selectors exclude the object. It is nil if the list
	// succeeded or was not needed.
	QueryErr error
}

// Error implements error.
func (e *StaleError) Error() string {
	w := e.Write
	var text strings.Builder
	fmt.Fprintf(&text, "controller %s: %s waits: informer %s", e.Controller, e.Request, e.Informer)
	if w.ResourceVersion == "" {
		fmt.Fprintf(&text, " has not seen the deletion of %s %s", w.Resource.GroupResource(), keyOf(w.Namespace, w.Name))
	} else {
		fmt.Fprintf(&text, " has not seen %s %s at version %s, written by %s", w.Resource.GroupResource(), keyOf(w.Namespace, w.Name), w.ResourceVersion, w.Verb)
	}
	fmt.Fprintf(&text, "; it is at version %q after %v", e.Version, e.Waited.Round(time.Millisecond))
	if e.Err != nil {
		fmt.Fprintf(&text, ": %v", e.Err)
	}
	if e.Listed {
		text.WriteString("; the server lists it with the informer's selectors, so the informer is late")
	}
	if e.QueryErr != nil {
		fmt.Fprintf(&text, "; the query whether the informer's selectors exclude the object failed: %v", e.QueryErr)
	}
	return text.String()
}

// Unwrap returns the failure of the source and that of the query.
func (e *StaleError) Unwrap() []error {
	var all []error
	for _, err := range []error{e.Err, e.QueryErr} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// timerFired is called when a key has waited for WriteTimeout, and again after each
// further WriteTimeout. The wait is reported once.
func (g *gate) timerFired(h *heldKey) {
	g.check(g.waitsOf(h))
	if g.isEarlyQuery(h) {
		g.queryEarly(h)
		return
	}
	g.query(g.ctx, g.waitsOf(h))
	late := g.waitsOf(h)
	if len(late) == 0 {
		return
	}
	if g.markReported(h) {
		g.reportStale(late[0])
	}
	for _, w := range late {
		if w.kind == untilVersion && !resourceversion.HasOrder(w.written.ResourceVersion) {
			g.finish(w) // cannot be compared: the version may have passed already
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.resetTimer(h, g.run.c.options.WriteTimeout)
}

// resetTimer restarts the timer of a key that still waits. gate.mu is held.
func (g *gate) resetTimer(h *heldKey, after time.Duration) {
	if g.held[h.request] == h {
		g.wg.Add(1)
		h.timer.Reset(after)
	}
}

func (g *gate) isEarlyQuery(h *heldKey) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return h.early
}

func (g *gate) waitsOf(h *heldKey) []*wait {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held[h.request] != h {
		return nil
	}
	return slices.Collect(maps.Keys(h.waits))
}

// markReported returns whether this is the first report. A reported key is enqueued
// when it is released, like a failed one.
func (g *gate) markReported(h *heldKey) (first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	first = !h.reported
	h.reported, h.requeue = true, true
	return first
}

// reportStale reports that a key still waits.
func (g *gate) reportStale(w *wait) {
	state := w.informer.shared.State()
	version, _ := w.informer.shared.VersionIn(w.written.Namespace)
	stale := &StaleError{
		Controller: g.run.c.name, Request: w.heldKey.request, Write: w.written,
		Informer: state.Name, Version: version, Waited: time.Since(w.heldKey.since), Err: state.Source.Err,
	}
	g.mu.Lock()
	stale.Listed, stale.QueryErr = w.listed, w.queryErr
	w.heldKey.stale = stale
	g.mu.Unlock()
	g.run.loggerOf(stale.Request).Error("The informer has not observed a write within WriteTimeout", "err", stale)
	if t := g.run.c.options.Trace; t != nil && t.Stale != nil {
		g.run.callTrace(func() { t.Stale(g.run.info(stale.Request), stale) })
	}
}
