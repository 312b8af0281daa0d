package apitest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Fault is something that goes wrong on purpose, and when. [Server.Fault] sets
// it.
//
// Each request is held against the faults that stand, in the order in which
// they were set. Those whose time it is all apply, in that order, until one
// answers in the server's place or breaks the connection: it is the last, and
// those after it neither count the request nor fire. Of the faults of a watch's
// events, the one that was set first sees an event first, and the next one sees
// what it let pass.
type Fault struct {
	// On is which requests it is about. A fault of events is about watches
	// only, and [StaleList] about lists, where this names no verb.
	On Match
	// Nth is the first request of those that it fires on, counted from 1 and
	// from when it was set: with 2 the first one passes. 0 is the first.
	Nth int
	// Times is how often it fires at most. 0 is once if there is an Nth, and
	// always otherwise.
	Times int
	// Probability of firing, between 0 and 1, on a request of which all else is
	// true; 0 is always. The same [Options.Seed] and the same order of requests
	// give the same outcome.
	Probability float64
	// Do is what goes wrong.
	Do Action
}

// String is the fault in a line: "watch pods in namespace a, the 2nd time: reset
// the connection".
func (f Fault) String() string {
	text := f.On.String()
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
	return text + ": " + f.Do.text
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

// due is whether it is the fault's time: seen is how many requests it was about,
// this one included, fired how often it fired before, and draw a random number
// below 1.
func (f *Fault) due(seen, fired int, draw float64) bool {
	times := f.Times
	if times == 0 && f.Nth > 0 {
		times = 1
	}
	return seen >= f.Nth &&
		(times <= 0 || fired < times) &&
		(f.Probability <= 0 || f.Probability >= 1 || draw < f.Probability)
}

// Injected is a fault that was set.
type Injected struct {
	fault  Fault
	server *Server
	lifted chan struct{} // closed by Lift

	mu          sync.Mutex
	seen, fired int
	random      *rand.Rand
	// undo is what Lift has to do, such as to open the door.
	undo []func()
}

// Fault sets a fault. It stands until it is lifted, fired or not. It panics if
// the fault does nothing, or can never fire.
func (s *Server) Fault(f Fault) *Injected {
	if mistake := f.mistake(); mistake != "" {
		panic(fmt.Sprintf("apitest: the fault %q: %s", f, mistake))
	}
	return s.faults.add(s, f)
}

// mistake is what the test has got wrong, "" for nothing.
func (f *Fault) mistake() string {
	switch {
	case f.Do.text == "":
		return "it has nothing to Do"
	case f.Nth < 0 || f.Times < 0:
		return "Nth and Times count from 1, and 0 is their default"
	case !(f.Probability >= 0 && f.Probability <= 1): // NaN is neither
		return "a Probability is between 0 and 1"
	case f.On.Verb != strings.ToLower(f.On.Verb):
		return "verbs are in small letters"
	case f.On.Verb != "" && !f.Do.about(f.On.Verb):
		return "this cannot happen to a " + f.On.Verb
	}
	return ""
}

// Standing are faults, for failure messages: a line each.
type Standing []*Injected

// String is the lines, or that there are none.
func (all Standing) String() string {
	if len(all) == 0 {
		return "no faults"
	}
	lines := make([]string, len(all))
	for i, in := range all {
		lines[i] = in.String()
	}
	return strings.Join(lines, "\n")
}

// Faults that stand, in the order in which they were set. Printed they are what
// a failure message should say.
func (s *Server) Faults() Standing { return slices.Clone(s.faults.all()) }

// LiftFaults lifts all faults that stand.
func (s *Server) LiftFaults() {
	for _, in := range s.faults.all() {
		in.Lift()
	}
}

// Lift ends the fault, where it is at work too: what it held back goes on, a
// server that refused listens again. What it broke stays broken.
func (in *Injected) Lift() {
	if !in.server.faults.remove(in) {
		return
	}
	in.mu.Lock()
	close(in.lifted)
	undo := in.undo
	in.undo = nil
	in.mu.Unlock()
	for _, f := range undo {
		f()
	}
}

// Fired is how many requests it was applied to: of a fault of events, watches,
// from when they come, though no event of theirs has come yet.
func (in *Injected) Fired() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.fired
}

// String is the fault in a line, with how often it fired.
func (in *Injected) String() string {
	switch fired := in.Fired(); fired {
	case 0:
		return fmt.Sprintf("%s (never fired)", in.fault)
	case 1:
		return fmt.Sprintf("%s (fired once)", in.fault)
	default:
		return fmt.Sprintf("%s (fired %d times)", in.fault, fired)
	}
}

// onLift has Lift do something; at once if it has been.
func (in *Injected) onLift(f func()) {
	in.mu.Lock()
	lifted := in.isLifted()
	if !lifted {
		in.undo = append(in.undo, f)
	}
	in.mu.Unlock()
	if lifted {
		f()
	}
}

func (in *Injected) isLifted() bool {
	select {
	case <-in.lifted:
		return true
	default:
		return false
	}
}

// fires counts a request, and says whether the fault applies to it.
func (in *Injected) fires(r *Request) bool {
	if !in.fault.Do.about(r.Verb) || !in.fault.On.matches(r) {
		return false
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.seen++
	if !in.fault.due(in.seen, in.fired, in.random.Float64()) {
		return false
	}
	in.fired++
	return true
}

// intn is a random number below n, of this fault's own.
func (in *Injected) intn(n int) int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.random.IntN(n)
}

// faults are those that stand. Readers load one slice, nil if there are none.
type faults struct {
	standing atomic.Pointer[[]*Injected]

	mu sync.Mutex // of those who change it
	// count is how many there ever were: each has random numbers of its own,
	// so that one more does not change what the others do.
	count uint64
}

func (f *faults) all() []*Injected {
	if standing := f.standing.Load(); standing != nil {
		return *standing
	}
	return nil
}

func (f *faults) add(s *Server, fault Fault) *Injected {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	in := &Injected{
		fault: fault, server: s, lifted: make(chan struct{}),
		random: rand.New(rand.NewPCG(s.seed, f.count)),
	}
	standing := append(slices.Clone(f.all()), in)
	f.standing.Store(&standing)
	return in
}

// remove reports whether it stood.
func (f *faults) remove(in *Injected) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := slices.Index(f.all(), in)
	if at < 0 {
		return false
	}
	standing := slices.Delete(slices.Clone(f.all()), at, at+1)
	f.standing.Store(&standing)
	if len(standing) == 0 {
		f.standing.Store(nil)
	}
	return true
}

// of are the faults that apply to a request, the one that ends it last.
func (f *faults) of(r *Request) (apply []*Injected) {
	for _, in := range f.all() {
		if !in.fires(r) {
			continue
		}
		apply = append(apply, in)
		if in.fault.Do.last {
			break
		}
	}
	return apply
}

// serveWith answers a request to which faults apply.
func (s *Server) serveWith(apply []*Injected, out *answer, r *http.Request) {
	var rewrites []func([]byte) []byte
	var disturbing []*scene
	var broken bool
	isWatch := out.request.Verb == "watch"
	for _, in := range apply {
		at := &scene{Injected: in, out: out, r: r}
		switch do := in.fault.Do; {
		case do.act != nil:
			if do.act(at) {
				return
			}
		case do.ask != nil:
			r = do.ask(at)
		case do.events != nil && isWatch:
			disturbing = append(disturbing, at)
		case do.half:
			broken = true
		case do.rewrite != nil:
			rewrites = append(rewrites, do.rewrite)
		}
	}
	switch {
	case len(disturbing) > 0:
		s.serve(out, withDisturbances(r, disturbing))
	case broken || len(rewrites) > 0:
		whole := &wholeAnswer{out: out, header: http.Header{}, broken: broken}
		s.serve(whole, uncompressed(r))
		whole.rewrite(rewrites)
		whole.send()
	default:
		s.serve(out, r)
	}
}
