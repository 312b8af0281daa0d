package controller

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/thinformer/thinformer/controller/internal/health"
)

// checks returns the built-in checks followed by the additional ones.
func (h HTTP) checks(p *Program) (alive, ready health.Endpoint) {
	alive = health.Endpoint{Name: "healthz", Checks: func() []health.Check { return slices.Concat(p.aliveChecks(), sortedChecks(h.HealthzChecks)) }}
	ready = health.Endpoint{Name: "readyz", Checks: func() []health.Check { return slices.Concat(p.readyChecks(), sortedChecks(h.ReadyzChecks)) }}
	return alive, ready
}

func sortedChecks(checks map[string]func(*http.Request) error) []health.Check {
	var all []health.Check
	for _, name := range slices.Sorted(maps.Keys(checks)) {
		run := checks[name]
		if run == nil {
			run = func(*http.Request) error { return errors.New("the check is nil") }
		}
		all = append(all, health.Check{Name: name, Run: run})
	}
	return all
}

// aliveChecks returns checks that fail if only a restart helps. An unreachable server
// is not such a case.
func (p *Program) aliveChecks() []health.Check {
	checks := []health.Check{{Name: "ping", Run: func(*http.Request) error { return nil }}}
	if leader := p.options.Leader; leader != nil {
		checks = append(checks, health.Check{Name: "leader", Run: func(*http.Request) error { return leader.Check() }})
	}
	for _, c := range p.controllers() {
		checks = append(checks, health.Check{Name: "controller/" + c.name, Run: func(*http.Request) error { return c.stuck(time.Now()) }})
	}
	return checks
}

// stuckAfter is how long a reconcile may exceed ReconcileTimeout before it is assumed
// never to end.
const stuckAfter = time.Minute

// stuck returns an error if no worker is expected to take another key.
func (c *Controller) stuck(now time.Time) error {
	bound := c.options.ReconcileTimeout
	if bound == 0 {
		return nil
	}
	working := c.State().Working
	if len(working) < min(c.options.MaxConcurrentReconciles, maxListed) {
		return nil
	}
	latest := working[len(working)-1]
	if now.Sub(latest.Since) < bound+stuckAfter {
		return nil
	}
	return fmt.Errorf("all %d workers are in reconciles that have not returned %v after their ctx ended, for example of %s",
		len(working), now.Sub(latest.Since.Add(bound)).Round(time.Second), latest.Request)
}

// readyChecks returns checks that fail until everything that the controllers need is
// available, and again when the program is asked to stop.
func (p *Program) readyChecks() []health.Check {
	checks := []health.Check{{Name: "program", Run: func(*http.Request) error { return p.notReady() }}}
	synced := p.hasSynced()
	for _, inf := range p.informers() {
		s := inf.State()
		err, remark := health.NotReady(s), health.Remark(s)
		if synced && s.Running && !s.Synced {
			// It was added later. The program continues to do what it did before.
			err, remark = nil, "added, and not synced: "+err.Error()
		}
		checks = append(checks, health.Check{
			Name: "informer/" + s.Name, Run: func(*http.Request) error { return err }, Remark: func() string { return remark },
		})
	}
	return checks
}

func (p *Program) notReady() error {
	if p.phase.Load() == stopping {
		return errors.New("stopping")
	}
	if p.options.Synced == nil {
		return nil // each informer has its own check
	}
	if !p.hasSynced() {
		return errors.New("RunOptions.Synced has not returned yet")
	}
	return nil
}
