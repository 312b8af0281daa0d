package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing/synctest"
	"time"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// seeds is the number of seeds of a check, unless the learner selects one.
const seeds = 4

// steps is the number of random steps of a simulation.
const steps = 40

// checkFaults returns a check that simulates with a kind of faults.
func checkFaults(first uint64, kinds ...[]fault) func(*judge.T, stack.Parts) {
	var faults []fault
	for _, kind := range kinds {
		faults = append(faults, kind...)
	}
	return func(t *judge.T, parts stack.Parts) {
		if seed := t.Seed(); seed != 0 {
			simulate(t, parts, seed, faults)
			return
		}
		for seed := first; seed < first+seeds && !t.Failed(); seed++ {
			simulate(t, parts, seed, faults)
		}
	}
}

// simulation is one run. The seed determines the writes and the faults, and their times.
// It does not determine the scheduling of goroutines.
type simulation struct {
	t      *judge.T
	seed   uint64
	rng    *rand.Rand
	start  time.Time
	log    []string
	faults []fault

	parts    stack.Parts
	server   *apitest.Server
	stopped  bool // the server
	writes   *writes
	program  *stack.Program
	handlers []*handler
	control  *controller
}

// simulate runs the parts against a server with faults, and fails unless they are
// right at the end.
func simulate(t *judge.T, parts stack.Parts, seed uint64, faults []fault) {
	newSimulation(t, parts, seed, faults).simulate()
}

func newSimulation(t *judge.T, parts stack.Parts, seed uint64, faults []fault) *simulation {
	s := &simulation{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 12)), start: time.Now(), faults: faults, parts: parts}
	s.server = apitest.NewServer(apitest.Options{
		InMemory: true, Seed: seed, History: []int{0, 5, 50}[s.rng.IntN(3)],
	})
	s.writes = newWrites(s)
	return s
}

func (s *simulation) simulate() {
	defer s.server.Close()
	defer s.describe()
	for range 3 {
		s.writes.some()
	}
	namespace := []string{"", "shop"}[s.rng.IntN(2)]
	stream := s.rng.IntN(2) == 0
	s.logf("namespace %q, streamed list: %t", namespace, stream)
	base, dial := judge.Dial(s.server)
	s.program = s.parts.Build(base, dial, namespace, stream)
	s.control = newController(s)
	defer s.control.queue.ShutDown()
	s.addHandler()
	s.program.Informer.AddEventHandler(s.control)

	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	ended := s.run(ctx)
	s.control.run(ctx)
	for range steps {
		s.pause()
		s.step()
	}
	s.rest(ended)
	s.check(namespace)
	cancel()
	s.t.Unblocked("Run, after its context is done,", func() { <-ended })
	s.control.end()
}

// run runs the informer. The channel receives the error of Run.
func (s *simulation) run(ctx context.Context) <-chan error {
	ended := make(chan error, 1)
	s.t.Go("Run", func() {
		ended <- s.program.Run(ctx)
		close(ended)
	})
	return ended
}

// pause lets fake time pass: mostly less than a back-off, sometimes more than a silence.
func (s *simulation) pause() {
	if s.rng.IntN(4) == 0 {
		return // two steps at the same time
	}
	longest := []time.Duration{time.Second, time.Second, 20 * time.Second, 8 * time.Minute}[s.rng.IntN(4)]
	time.Sleep(time.Duration(1 + s.rng.Int64N(int64(longest))))
	synctest.Wait()
}

// step takes a random step.
func (s *simulation) step() {
	if s.stopped && s.rng.IntN(2) == 0 {
		s.restart()
	}
	switch n := s.rng.IntN(20); {
	case n < 11:
		s.writes.some()
	case n == 11:
		s.writes.some()
		s.addHandler()
	case len(s.faults) == 0:
		// A simulation without faults only waits.
	case n < 17:
		s.setFault()
	default:
		s.changeServer()
	}
}

// rest ends all faults, and lets time pass until nothing can happen any more.
func (s *simulation) rest(ended <-chan error) {
	s.server.RemoveFaults()
	if s.stopped {
		s.server.Start()
	}
	s.logf("end of all faults, except those of pages")
	time.Sleep(10 * time.Minute)
	s.failPages()
	s.logf("end of all faults and writes")
	time.Sleep(30 * time.Minute)
	synctest.Wait()
	select {
	case err := <-ended:
		s.failf("Run returns before its context is done: %v", err)
	default:
	}
}

// failPages lets requests that write pages fail while the watches work: no new list comes
// that would bring the key of the site once more, so only the work queue does.
func (s *simulation) failPages() {
	for _, f := range s.faults {
		switch {
		case f.verb != "", f.name == "restart", f.name == "compact":
			continue // no request of a page fails
		case f.name == "HTML":
			continue // Into(nil), which step 11 permits, does not notice it
		}
		for _, verb := range []string{"create", "update", "delete"} {
			fault := s.server.Fault(apitest.Fault{
				Match: apitest.Match{Verb: verb, Resource: "configmaps"}, Times: 1, Action: f.do(s.rng),
			})
			defer fault.Remove()
			s.logf("fault: %s, for %s, limit 1", f.name, verb)
		}
		s.writes.some()
		time.Sleep(10 * time.Minute)
	}
}

// logf adds a line to the log of the simulation.
func (s *simulation) logf(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf("%10v  %s", time.Since(s.start).Round(100*time.Millisecond), fmt.Sprintf(format, args...)))
}

// failf fails. The text says what is wrong.
func (s *simulation) failf(format string, args ...any) {
	s.t.Fatalf("seed %d: %s", s.seed, fmt.Sprintf(format, args...))
}

// describe adds to a failure how it is repeated. The log is printed only for a seed that
// the learner has selected.
func (s *simulation) describe() {
	if !s.t.Failed() {
		return
	}
	if s.t.Seed() != 0 {
		s.t.Logf("%s", strings.Join(s.log, "\n"))
	}
	s.t.Logf("again, with a log of writes and faults: go run ./learn test 12 -seed %d", s.seed)
}
