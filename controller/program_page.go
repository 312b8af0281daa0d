package controller

import (
	"fmt"
	"slices"
	"time"

	"github.com/thinformer/thinformer/controller/internal/page"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/informer/debug"
)

// debugOptions merges the debug options of the user with those of Run.
func (h HTTP) debugOptions(p *Program) debug.Options {
	o := h.Debug
	more, sections := o.Informers, o.Sections
	o.Informers = func() []informer.AnyInformer {
		all := p.informers()
		if more != nil {
			all = append(all, more()...)
		}
		return all
	}
	o.Hosts = slices.Concat(o.Hosts, h.Hosts)
	o.Sections = func() []debug.Section {
		all := p.sections()
		if sections != nil {
			all = append(all, sections()...)
		}
		return all
	}
	return o
}

// sections returns the sections of the program and its controllers.
func (p *Program) sections() []debug.Section {
	all := []debug.Section{p.page().Section()}
	now := time.Now()
	for _, c := range p.controllers() {
		all = append(all, c.State().page().Section(now))
	}
	return all
}

// page returns the form of the program on the debug page.
func (p *Program) page() page.Program {
	now := p.phase.Load().(phase)
	shown := page.Program{Phase: string(now), Hint: now.hint()}
	if leader := p.options.Leader; leader != nil {
		if stringer, ok := leader.(fmt.Stringer); ok {
			shown.Election = stringer.String()
		}
		shown.ElectionError = page.ErrorText(leader.Check())
	}
	return shown
}

// page returns the form of the state on the debug page.
func (s State) page() page.Controller {
	shown := page.Controller{
		Name: s.Name, Running: s.Running, Synced: s.Synced, Queued: s.Queued, Held: s.Held,
		Reconciles: s.Reconciles, Errors: s.Errors, Panics: s.Panics, Retries: s.Retries,
		Retrying: failingKeys(s.Retrying), RetryingCount: s.RetryingCount,
		Quarantined: failingKeys(s.Quarantined), QuarantinedCount: s.QuarantinedCount,
	}
	for _, w := range s.UnreadyInformers {
		shown.UnreadyInformers = append(shown.UnreadyInformers, page.UnreadyInformer{Informer: w.Informer, Synced: w.Synced, Error: page.ErrorText(w.Reason)})
	}
	for _, req := range s.Queue.Waiting {
		shown.Waiting = append(shown.Waiting, req.String())
	}
	for _, p := range s.Queue.Processing {
		if p.Dirty {
			shown.Dirty = append(shown.Dirty, p.Item.String())
		}
	}
	for _, d := range s.Queue.Delayed {
		shown.Delayed = append(shown.Delayed, page.Delayed{Key: d.Item.String(), Due: d.Due})
	}
	shown.DelayedCount = s.Queue.DelayedCount
	for _, w := range s.Working {
		shown.Working = append(shown.Working, page.Working{Key: w.Request.String(), Since: w.Since})
	}
	for _, e := range s.Stale {
		shown.Stale = append(shown.Stale, page.Stale{Key: e.Request.String(), Error: e.Error()})
	}
	shown.TrackedCount = s.TrackedCount
	for _, e := range s.Tracked {
		tracked := page.Tracked{Key: e.Request.String(), Cause: e.Cause, Dependencies: e.Dependencies, Count: e.Count}
		if !e.Queued.IsZero() {
			tracked.Queued = &e.Queued
		}
		shown.Tracked = append(shown.Tracked, tracked)
	}
	return shown
}

func failingKeys(all []FailingRequest) []page.Failing {
	var shown []page.Failing
	for _, f := range all {
		shown = append(shown, page.Failing{Key: f.Request.String(), Failures: f.Failures, Error: page.ErrorText(f.Err), Next: f.Next})
	}
	return shown
}
