package apitest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/thinformer/thinformer/apitest/internal/fault"
)

// Fault is a rule for a deliberate error of the server: its action, and the
// requests to which the action is applied. [Server.Fault] sets it.
//
// Each request is matched against the active faults, in the order in which they
// were set. All faults that are due apply, in that order, until one responds in
// place of the server or aborts the connection. That one is the last: later
// faults neither count the request nor fire. Among the faults of a watch's
// events, the one that was set first sees an event first, and the next one sees
// what it passes on.
type Fault struct {
	// Match selects the requests. If it has no verb, a fault of events applies to
	// watches only, and [StaleList] to lists only.
	Match Match
	// Nth is the first matching request on which the fault fires, counted from 1
	// since the fault was set: with 2, the first request is unaffected. 0 is the
	// first.
	Nth int
	// Times is the maximum number of times that the fault fires. 0 is once if Nth
	// is set, and unlimited otherwise.
	Times int
	// Probability of firing, between 0 and 1, on a request that otherwise
	// qualifies; 0 is always. The same [Options.Seed] and the same order of
	// requests produce the same outcome.
	Probability float64
	// Action is the action.
	Action Action
}

// String returns the fault as a line: "watch pods in namespace a, the 2nd time:
// reset the connection".
func (f Fault) String() string {
	text := f.Match.String()
	switch {
	case f.Nth > 0 && f.Times > 1:
		text += fmt.Sprintf(", the %s and %d more times", ordinal(f.Nth), f.Times-1)
	case f.Nth > 0:
		text += fmt.Sprintf(", the %s time", ordinal(f.Nth))
	case f.Times == 1:
		text += ", once"
	case f.Times > 1:
		text += fmt.Sprintf(", %d times", f.Times)
	}
	if f.Probability > 0 && f.Probability < 1 {
		text += fmt.Sprintf(", with probability %g", f.Probability)
	}
	return text + ": " + f.Action.text
}

func ordinal(n int) string {
	switch {
	case n%10 == 1 && n%100 != 11:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2 && n%100 != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n%100 != 13:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// due reports whether the fault fires. seen is the number of matching requests,
// including this one; fired is how often the fault has fired; draw is a random
// number below 1.
func (f *Fault) due(seen, fired int, draw float64) bool {
	times := f.Times
	if times == 0 && f.Nth > 0 {
		times = 1
	}
	return seen >= f.Nth &&
		(times <= 0 || fired < times) &&
		(f.Probability <= 0 || f.Probability >= 1 || draw < f.Probability)
}

// InjectedFault is a fault that has been set.
type InjectedFault struct {
	fault  Fault
	server *Server
	state  *fault.State

	mu          sync.Mutex
	seen, fired int
}

// Fault sets a fault. It stays active until it is removed, whether or not it
// has fired. Fault panics if the fault does nothing, or can never fire.
func (s *Server) Fault(f Fault) *InjectedFault {
	if mistake := f.validate(); mistake != "" {
		panic(fmt.Sprintf("apitest: Fault(%q): %s", f, mistake))
	}
	return s.faults.add(s, f)
}

// validate returns what is wrong with the fault, "" for nothing.
func (f *Fault) validate() string {
	switch {
	case f.Action.text == "":
		return "Do is not set"
	case f.Nth < 0 || f.Times < 0:
		return "Nth and Times must not be negative"
	case !(f.Probability >= 0 && f.Probability <= 1): // also rejects NaN
		return "Probability must be between 0 and 1"
	case f.Match.Verb != strings.ToLower(f.Match.Verb):
		return "On.Verb must be in lower case"
	case f.Match.Verb != "" && !f.Action.appliesTo(f.Match.Verb):
		return "the action does not apply to the verb " + f.Match.Verb
	}
	return ""
}

// InjectedFaults is a list of faults. Its String has one line per fault.
type InjectedFaults []*InjectedFault

// String returns one line per fault, or "no faults".
func (all InjectedFaults) String() string {
	if len(all) == 0 {
		return "no faults"
	}
	lines := make([]string, len(all))
	for i, injected := range all {
		lines[i] = injected.String()
	}
	return strings.Join(lines, "\n")
}

// Faults returns the active faults, in the order in which they were set. Print
// them in failure messages.
func (s *Server) Faults() InjectedFaults { return slices.Clone(s.faults.all()) }

// RemoveFaults removes all faults.
func (s *Server) RemoveFaults() {
	for _, injected := range s.faults.all() {
		injected.Remove()
	}
}

// Remove ends the fault, including effects in progress: held data continues,
// and a server that refused connections listens again. Broken connections stay
// broken.
func (f *InjectedFault) Remove() {
	if f.server.faults.remove(f) {
		f.state.Remove()
	}
}

// Fired returns the number of requests to which the fault was applied. A fault
// of events counts a watch when its request is received, before its first
// event.
func (f *InjectedFault) Fired() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fired
}

// String returns the fault as a line, with the number of times that it fired.
func (f *InjectedFault) String() string {
	switch fired := f.Fired(); fired {
	case 0:
		return fmt.Sprintf("%s (never fired)", f.fault)
	case 1:
		return fmt.Sprintf("%s (fired once)", f.fault)
	default:
		return fmt.Sprintf("%s (fired %d times)", f.fault, fired)
	}
}

// fires counts a request, and reports whether the fault applies to it.
func (f *InjectedFault) fires(r *Request) bool {
	if !f.fault.Action.appliesTo(r.Verb) || !f.fault.Match.matches(r) {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen++
	if !f.fault.due(f.seen, f.fired, f.state.Draw()) {
		return false
	}
	f.fired++
	return true
}

// faults are the active faults. Readers load one slice, nil if there are none.
type faults struct {
	active atomic.Pointer[[]*InjectedFault]

	mu sync.Mutex // held by writers
	// count is the number of faults ever set. It seeds the generator of each
	// fault, so that one more fault does not change the others.
	count uint64
}

func (f *faults) all() []*InjectedFault {
	if active := f.active.Load(); active != nil {
		return *active
	}
	return nil
}

func (f *faults) add(s *Server, rule Fault) *InjectedFault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	injected := &InjectedFault{fault: rule, server: s, state: fault.NewState(s.seed, f.count)}
	active := append(slices.Clone(f.all()), injected)
	f.active.Store(&active)
	return injected
}

// remove reports whether the fault was active.
func (f *faults) remove(injected *InjectedFault) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := slices.Index(f.all(), injected)
	if at < 0 {
		return false
	}
	active := slices.Delete(slices.Clone(f.all()), at, at+1)
	f.active.Store(&active)
	if len(active) == 0 {
		f.active.Store(nil)
	}
	return true
}

// matching returns the faults that apply to a request. A fault that ends the
// request is the last.
func (f *faults) matching(r *Request) (apply []*InjectedFault) {
	for _, injected := range f.all() {
		if !injected.fires(r) {
			continue
		}
		apply = append(apply, injected)
		if injected.fault.Action.last {
			break
		}
	}
	return apply
}

// serveWithFaults responds to a request to which faults apply.
func (s *Server) serveWithFaults(apply []*InjectedFault, out *responseWriter, r *http.Request) {
	var rewrites []func([]byte) []byte
	var disturbing []fault.Source
	var broken bool
	isWatch := out.request.Verb == "watch"
	for _, injected := range apply {
		at := &faultPoint{fault.NewPoint(injected.state, out, r, s.ctx.Done()), s}
		switch do := injected.fault.Action; {
		case do.act != nil:
			if do.act(at) {
				return
			}
		case do.rewriteRequest != nil:
			r = do.rewriteRequest(at)
		case do.events != nil && isWatch:
			disturbing = append(disturbing, fault.NewSource(at.Point, func() fault.Events { return do.events(at) }))
		case do.truncate:
			broken = true
		case do.rewriteBody != nil:
			rewrites = append(rewrites, do.rewriteBody)
		}
	}
	switch {
	case len(disturbing) > 0:
		s.serve(out, fault.WithSources(r, disturbing))
	case broken || len(rewrites) > 0:
		whole := newChangedResponse(out, broken)
		s.serve(whole, fault.Uncompressed(r))
		whole.Rewrite(rewrites)
		whole.Send()
	default:
		s.serve(out, r)
	}
}
