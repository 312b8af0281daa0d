package controller

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/thinformer/thinformer/informer"
)

// A check is a named question of a health endpoint; an error is its no.
type check struct {
	name string
	ask  func(*http.Request) error
}

// healthEndpoint answers 200 when no check has an error, and 503 otherwise.
type healthEndpoint struct {
	name string
	// checks are asked for with each request, as informers come and go.
	checks func() []check
}

// ServeHTTP answers GET and HEAD in the form of kube-apiserver.
func (e healthEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, e.name+" is asked with GET", http.StatusMethodNotAllowed)
		return
	}
	var told strings.Builder
	failed := false
	for _, c := range e.checks() {
		if err := c.ask(r); err != nil {
			failed = true
			fmt.Fprintf(&told, "[-]%s failed: %s\n", c.name, oneLine(err))
		} else {
			fmt.Fprintf(&told, "[+]%s ok\n", c.name)
		}
	}
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	switch {
	case failed:
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintf(&told, "%s check failed\n", e.name)
	case r.URL.Query().Has("verbose"):
		fmt.Fprintf(&told, "%s check passed\n", e.name)
	default:
		told.Reset()
		told.WriteString("ok")
	}
	_, _ = io.WriteString(w, told.String()) // there is nobody to tell
}

// oneLine keeps a message from looking like several checks.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}

// checks are those of the program and, behind them, the user's.
func (h HTTP) checks(p *program) (alive, ready healthEndpoint) {
	alive = healthEndpoint{"healthz", func() []check { return slices.Concat(p.aliveChecks(), sorted(h.Alive)) }}
	ready = healthEndpoint{"readyz", func() []check { return slices.Concat(p.readyChecks(), sorted(h.Ready)) }}
	return alive, ready
}

func sorted(checks map[string]func(*http.Request) error) []check {
	var all []check
	for _, name := range slices.Sorted(maps.Keys(checks)) {
		ask := checks[name]
		if ask == nil {
			ask = func(*http.Request) error { return errors.New("the check is nil") }
		}
		all = append(all, check{name, ask})
	}
	return all
}

// aliveChecks fail if nothing but a restart helps: not because a server is down,
// which a restart does not bring back.
func (p *program) aliveChecks() []check {
	checks := []check{{"ping", func(*http.Request) error { return nil }}}
	if leader := p.options.Leader; leader != nil {
		checks = append(checks, check{"leader", func(*http.Request) error { return leader.Check() }})
	}
	for _, c := range p.controllers {
		checks = append(checks, check{"controller/" + c.name, func(*http.Request) error { return c.stuck(time.Now()) }})
	}
	return checks
}

// overtime is how long a reconcile may go on after its ctx has ended by
// ReconcileTimeout, before it is taken for one that never ends.
const overtime = time.Minute

// stuck is an error when no worker will ever take a key again.
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
	if now.Sub(latest.Since) < bound+overtime {
		return nil
	}
	return fmt.Errorf("all %d workers are in reconciles that have not returned %v after their ctx has ended, such as that of %s",
		len(working), now.Sub(latest.Since.Add(bound)).Round(time.Second), latest.Request)
}

// readyChecks fail until all is there that controllers need, and again from the
// moment the program is told to stop.
func (p *program) readyChecks() []check {
	checks := []check{{"program", func(*http.Request) error { return p.notReady() }}}
	for _, inf := range p.informers() {
		checks = append(checks, check{"informer/" + inf.State().Name, func(*http.Request) error { return notReady(inf.State()) }})
	}
	return checks
}

func (p *program) notReady() error {
	if p.phase.Load() == stopping {
		return errors.New("it is stopping")
	}
	if p.options.Synced == nil {
		return nil // the informers speak for themselves
	}
	select {
	case <-p.synced:
		return nil
	default:
		return errors.New("RunOptions.Synced has not returned yet")
	}
}

// notReady is why nobody should rely on an informer. One that has synced and is
// cut off from its server is ready: it has what there was, and nobody is
// better off elsewhere.
func notReady(s informer.State) error {
	switch {
	case s.Synced && s.Running:
		return nil
	case s.Source.Err == nil:
		return errors.New(whatFor(s))
	}
	if help := remedy(s.Source.Err, s.Resource); help != "" {
		return fmt.Errorf("%w (%s)", s.Source.Err, help)
	}
	return s.Source.Err
}
