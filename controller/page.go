package controller

import (
	"cmp"
	"fmt"
	"time"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/informer/debug"
)

// debugOptions are the user's, and what Run knows.
func (h HTTP) debugOptions(p *program) debug.Options {
	o := h.Debug
	more, sections := o.Informers, o.Sections
	o.Informers = func() []informer.AnyInformer {
		all := p.informers()
		if more != nil {
			all = append(all, more()...)
		}
		return all
	}
	o.Sections = func() []debug.Section {
		all := p.sections()
		if sections != nil {
			all = append(all, sections()...)
		}
		return all
	}
	return o
}

// sections are the program and its controllers.
func (p *program) sections() []debug.Section {
	all := []debug.Section{p.section()}
	for _, c := range p.controllers {
		all = append(all, c.State().section(time.Now()))
	}
	return all
}

// programState is the JSON of a program.
type programState struct {
	Phase         phase  `json:"phase"`
	Election      string `json:"election,omitempty"`
	ElectionError string `json:"electionError,omitempty"`
}

func (p *program) section() debug.Section {
	s := programState{Phase: p.phase.Load().(phase)}
	lines := []string{"phase     " + string(s.Phase)}
	if speaks, ok := p.options.Leader.(fmt.Stringer); ok {
		s.Election = speaks.String()
		lines = append(lines, "election  "+s.Election)
	}
	if p.options.Leader != nil {
		if s.ElectionError = textOf(p.options.Leader.Check()); s.ElectionError != "" {
			lines = append(lines, "election  "+s.ElectionError)
		}
	}
	return debug.Section{Title: "program", Lines: lines, State: s}
}

// controllerState is the JSON of a controller. Names and meanings stay as they
// are; more fields may come.
type controllerState struct {
	Name       string `json:"name"`
	Running    bool   `json:"running"`
	Synced     bool   `json:"synced"`
	Queued     int    `json:"queued"`
	Held       int    `json:"held"`
	Reconciles uint64 `json:"reconciles"`
	Errors     uint64 `json:"errors"`
	Panics     uint64 `json:"panics"`
	Retries    uint64 `json:"retries"`

	Waiting          []waitingState `json:"waiting,omitempty"`
	Working          []workingState `json:"working,omitempty"`
	Retrying         []failingState `json:"retrying,omitempty"`
	RetryingCount    int            `json:"retryingCount"`
	Quarantined      []failingState `json:"quarantined,omitempty"`
	QuarantinedCount int            `json:"quarantinedCount"`
	Stale            []staleState   `json:"stale,omitempty"`
}

type waitingState struct {
	Informer string `json:"informer"`
	Error    string `json:"error,omitempty"`
}

type workingState struct {
	Key   string    `json:"key"`
	Since time.Time `json:"since"`
}

type failingState struct {
	Key      string    `json:"key"`
	Failures int       `json:"failures"`
	Error    string    `json:"error"`
	Next     time.Time `json:"next,omitzero"`
}

type staleState struct {
	Key   string `json:"key"`
	Error string `json:"error"`
}

func (s State) section(now time.Time) debug.Section {
	return debug.Section{Title: "controller " + s.Name, Lines: s.lines(now), State: s.shown()}
}

func (s State) shown() controllerState {
	shown := controllerState{
		Name: s.Name, Running: s.Running, Synced: s.Synced, Queued: s.Queued, Held: s.Held,
		Reconciles: s.Reconciles, Errors: s.Errors, Panics: s.Panics, Retries: s.Retries,
		Retrying: failingStates(s.Retrying), RetryingCount: s.RetryingCount,
		Quarantined: failingStates(s.Quarantined), QuarantinedCount: s.QuarantinedCount,
	}
	for _, w := range s.Waiting {
		shown.Waiting = append(shown.Waiting, waitingState{w.Informer, textOf(w.Reason)})
	}
	for _, w := range s.Working {
		shown.Working = append(shown.Working, workingState{w.Request.String(), w.Since})
	}
	for _, e := range s.Stale {
		shown.Stale = append(shown.Stale, staleState{e.Request.String(), e.Error()})
	}
	return shown
}

func failingStates(all []Failing) []failingState {
	var shown []failingState
	for _, f := range all {
		shown = append(shown, failingState{f.Request.String(), f.Failures, textOf(f.Err), f.Next})
	}
	return shown
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// lines are for people: the lists as long as a screen allows.
func (s State) lines(now time.Time) []string {
	state := "not running"
	if s.Running {
		state = "running, not synced"
		if s.Synced {
			state = "running, synced"
		}
	}
	lines := []string{
		"state     " + state,
		fmt.Sprintf("keys      %d queued, %d waiting to see their writes, %d being reconciled, %d to be retried, %d in quarantine", s.Queued, s.Held, len(s.Working), s.RetryingCount, s.QuarantinedCount),
		fmt.Sprintf("so far    %d reconciles, %d errors, %d panics, %d retries", s.Reconciles, s.Errors, s.Panics, s.Retries),
	}
	for _, w := range s.Waiting {
		lines = append(lines, fmt.Sprintf("waits     for the first list of %s: %s", w.Informer, cmp.Or(textOf(w.Reason), "it is on its way")))
	}
	for _, w := range atMost(s.Working) {
		lines = append(lines, fmt.Sprintf("works     on %s for %v", w.Request, now.Sub(w.Since).Round(time.Millisecond)))
	}
	for _, e := range atMost(s.Stale) {
		lines = append(lines, "held      "+e.Error())
	}
	for _, f := range atMost(s.Retrying) {
		lines = append(lines, fmt.Sprintf("retries   %s in %v, after %d failures: %s", f.Request, max(0, f.Next.Sub(now)).Round(time.Millisecond), f.Failures, textOf(f.Err)))
	}
	for _, f := range atMost(s.Quarantined) {
		lines = append(lines, fmt.Sprintf("set apart %s, until it changes, after %d failures: %s", f.Request, f.Failures, textOf(f.Err)))
	}
	return lines
}

// atMost is as much of a list as is laid out for people; the JSON has all.
func atMost[E any](all []E) []E { return all[:min(len(all), 10)] }
