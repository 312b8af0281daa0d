package informer

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

var (
	simSeed   = flag.Uint64("sim.seed", 0, "run the simulation with this seed only")
	simRepeat = flag.Int("sim.repeat", 1, "how often to run each seed; the seed does not determine the scheduling")
	simFrom   = flag.Uint64("sim.from", 1, "the first seed")
	simSeeds  = flag.Int("sim.seeds", 0, "number of seeds; 0 means 300, or 100 with the race detector")
	simSteps  = flag.Int("sim.steps", 60, "number of steps of each simulation")
)

// TestSimulation runs the whole stack against a server with all kinds of faults. At
// the end the store equals the content of the server, and each handler has received
// a legal history.
func TestSimulation(t *testing.T) {
	names := []string{"server: compact", "server: restart", "server: compact and restart", "server: stop", "server: back"}
	for _, f := range simFaults {
		names = append(names, f.name)
	}
	names = append(names, outageThenCompact, outageThenBack, outageRepeated)
	for _, o := range simOutages {
		names = append(names, outageHit(o))
	}
	simulateSeeds(t, 300, 100, names, simulate)
}

// simulateSeeds runs a simulation with each seed; by default with the given numbers of
// seeds, without and with the race detector. With 100 seeds or more, each of the named
// faults must occur.
func simulateSeeds(t *testing.T, seeds, withRace int, faults []string, simulate func(*testing.T, uint64, *simHits)) {
	if raceEnabled {
		seeds = withRace
	}
	from := *simFrom
	if *simSeeds > 0 {
		seeds = *simSeeds
	}
	if *simSeed != 0 {
		from, seeds = *simSeed, 1
	}
	hits := &simHits{}
	t.Run("seeds", func(t *testing.T) {
		for seed := from; seed < from+uint64(seeds); seed++ {
			for n := range *simRepeat {
				t.Run(fmt.Sprintf("%d/%d", seed, n+1), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) { simulate(t, seed, hits) })
				})
			}
		}
	})
	t.Log("\n" + hits.String())
	if seeds < 100 || t.Failed() {
		return
	}
	for _, name := range faults {
		if hits.total(name) == 0 {
			t.Errorf("%q has never occurred: the seeds do not test it", name)
		}
	}
}

// simulation is one run.
type simulation struct {
	t    *testing.T
	seed uint64
	rng  *rand.Rand
	log  *simLog
	hits *simHits
	// namespaces is not nil if the informer has several namespaces.
	namespaces *simCoverage

	// machine has the inputs of the reflector's machine, as a transcript. preferList
	// is an argument of its first command.
	machine    simTranscript
	preferList string

	server   *simServer
	source   *simSource
	informer *SharedInformer[*simObject]
	handlers []*simHandler
	index    *indexer.Index[*simObject]
	active   []activeFault
	// stopped: the server is stopped. firstVersion is the version after the setup;
	// the server is not set back to an older one.
	stopped      bool
	firstVersion uint64
	// setBackFrom is a version that the source has returned and that the server has
	// not reached again since it was set back; 0 if there is none. statesAtBack is the
	// number of initial states that had been read at that time.
	setBackFrom  uint64
	statesAtBack int
	// lying: the server has sent events out of order, and the source has not read an
	// initial state since. No client can know the current version.
	lying  atomic.Bool
	liedAt atomic.Int64 // the number of accepted initial states when lying was set
	// version and epoch are those of the informer at the last check.
	version uint64
	epoch   int

	waiters sync.WaitGroup
	mu      sync.Mutex
	// arrived are the results of waits for a version.
	arrived []arrival
}

// failf ends the run. The message contains the log and the command that runs the
// seed again.
func (s *simulation) failf(format string, args ...any) {
	s.t.Helper()
	test, machine := "TestSimulation$", fmt.Sprintf("The inputs of the reflector's machine, as a transcript for reflector/testdata:\nnew%s\n----\n\nplay\n%s\n\n", s.preferList, &s.machine)
	if s.namespaces != nil { // each namespace has a reflector
		test, machine = "TestSimulationOfNamespaces", ""
	}
	s.t.Fatalf("%s\n\n%s\n\n%sRun it again: go test ./informer -run %s -sim.seed=%d -sim.steps=%d -sim.repeat=20",
		fmt.Sprintf(format, args...), s.log, machine, test, s.seed, *simSteps)
}

func newSimulation(t *testing.T, seed uint64, hits *simHits) *simulation {
	return &simulation{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 2)), log: &simLog{start: time.Now()}, hits: hits}
}

func simulate(t *testing.T, seed uint64, hits *simHits) { newSimulation(t, seed, hits).run() }

// run runs the simulation from its setup to the checks at the end.
func (s *simulation) run() {
	client := s.setUp()
	defer client.Close()
	defer s.server.Close()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	defer func() {
		cancel()
		if err := <-ended; err != nil && !s.t.Failed() {
			s.failf("Run: %v", err)
		}
		s.waiters.Wait()
	}()
	s.addHandler()
	if s.rng.IntN(2) == 0 {
		s.addHandler()
	}
	if s.rng.IntN(3) == 0 {
		s.setFault()
	}
	go func() { ended <- s.informer.Run(ctx) }()
	s.waiters.Go(func() { s.readContinuously(ctx) })
	for range *simSteps {
		s.pause()
		if s.namespaces == nil {
			s.step()
		} else if s.stepOfNamespaces(); s.namespaces.undecidable {
			return
		}
		s.checkInvariants()
	}
	s.settle()
	s.checkHistories()
	cancel()
	s.checkEnd(ended)
}

// setUp creates the server and the informer.
func (s *simulation) setUp() *rest.Client {
	o := apitest.Options{InMemory: true, Seed: s.seed}
	o.History = []int{0, 0, 5, 50}[s.rng.IntN(4)]
	o.BookmarkInterval = []time.Duration{0, 5 * time.Second}[s.rng.IntN(2)]
	srv := apitest.NewServer(o)
	selected := s.rng.IntN(2) == 0
	filtered := s.rng.IntN(3) == 0
	namespace := []string{"", "", "default"}[s.rng.IntN(3)]
	if s.namespaces != nil {
		namespace = ""
	}
	s.server = &simServer{Server: srv, t: s.t, log: s.log, rng: s.rng, wants: func(obj *simObject) bool {
		return (!selected || obj.Labels["on"] == "yes") && (!filtered || obj.Labels["drop"] != "yes") &&
			(namespace == "" || obj.Namespace == namespace)
	}}
	for range 12 {
		s.server.write()
	}
	for _, namespace := range simNamespaces {
		s.server.secret(namespace) // creates the namespace
	}
	s.firstVersion = s.server.version
	config := srv.Config()
	config.PageSize = []int64{0, 2, 3}[s.rng.IntN(3)]
	if s.namespaces != nil && s.namespaces.setsBack {
		config.PageSize = 0 // no client can detect that the pages of a list are of two histories
	}
	client, err := rest.New(config)
	if err != nil {
		s.failf("client: %v", err)
	}
	view := rest.NewView[*simObject](client, rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Kind: "ConfigMap", Namespaced: true,
	}).Namespace(namespace)
	s.source = &simSource{View: view, log: s.log}
	informerOptions := Options[*simObject]{
		PreferList:        s.rng.IntN(3) == 0,
		WatchTimeout:      []time.Duration{0, 0, 30 * time.Second}[s.rng.IntN(3)],
		IdleTimeout:       []time.Duration{0, 0, 90 * time.Second}[s.rng.IntN(3)],
		WatchErrorHandler: func(_ context.Context, err error) { s.log.add("error", "%v", err) },
		Logger:            slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	if selected {
		informerOptions.TweakListOptions = func(o *metav1.ListOptions) { o.LabelSelector = "on=yes" }
	}
	if filtered {
		informerOptions.Filter = func(obj *simObject) bool { return obj.Labels["drop"] != "yes" }
	}
	s.log.add("setup", "history %d, bookmarks every %s, pages of %d, selector %t, filter %t, namespace %q, prefer list %t, watch timeout %s, idle timeout %s",
		o.History, o.BookmarkInterval, config.PageSize, selected, filtered, namespace, informerOptions.PreferList, informerOptions.WatchTimeout, informerOptions.IdleTimeout)
	if s.namespaces != nil {
		s.namespaces.covered = s.someNamespaces()
		s.informer = ForNamespaces(nil, view, informerOptions, s.namespaces.covered...)
		return client
	}
	s.informer = New(s.source, informerOptions)
	s.recordSteps()
	if informerOptions.PreferList {
		s.preferList = " prefer-list"
	}
	return client
}

// pause lets fake time pass, and waits until all goroutines are blocked.
func (s *simulation) pause() {
	switch n := s.rng.IntN(20); {
	case n < 12:
		time.Sleep(time.Duration(1+s.rng.IntN(900)) * time.Millisecond)
	case n < 18:
		time.Sleep(time.Duration(1+s.rng.IntN(20000)) * time.Millisecond)
	default:
		time.Sleep(time.Duration(1+s.rng.IntN(400)) * time.Second)
	}
	synctest.Wait()
}

// maxVersionsPerStep is the maximal number of versions that one step uses.
const maxVersionsPerStep = 10

// step takes a random step.
func (s *simulation) step() {
	switch n := s.rng.IntN(40); {
	case n < 22:
		s.write()
	case n < 28:
		s.setFault()
	case n < 32:
		s.removeFault()
	case n < 36:
		s.changeServer()
	case n < 38:
		s.addHandler()
	case n < 39:
		s.removeHandler()
	default:
		s.addIndex()
	}
}

// write writes some config maps at random.
func (s *simulation) write() {
	if s.mustNotWrite() {
		s.log.add("write", "none: the server must not reach the version before it was set back")
		return
	}
	for range 1 + s.rng.IntN(maxVersionsPerStep/2) {
		s.server.write()
	}
	if s.setBackFrom > 0 || s.rng.IntN(3) > 0 {
		return
	}
	if s.namespaces != nil {
		s.waitForVersionInNamespace()
	} else {
		s.waitForVersion()
	}
}

func (s *simulation) addIndex() {
	if s.index != nil {
		return
	}
	index, err := s.informer.AddIndex("on", labelValues)
	if err != nil {
		s.failf("AddIndex: %v", err)
	}
	s.index = index
	s.log.add("index", "added")
}

// labelValues returns the index values of an object.
func labelValues(obj *simObject) (values []string) {
	for name, value := range obj.Labels {
		values = append(values, name+"="+value)
	}
	return append(values, "all")
}

// checkInvariants checks what holds whenever all goroutines are blocked.
func (s *simulation) checkInvariants() {
	synctest.Wait()
	if s.namespaces != nil {
		s.checkNamespaces()
		return
	}
	snapshot := s.informer.Reader().Snapshot()
	stored := map[string]*simObject{}
	for obj := range snapshot.All() {
		stored[obj.key()] = obj
	}
	s.checkVersion(snapshot.Version(), stored)
	s.checkArrivals()
	s.checkVersionIncreases()
	if s.index != nil {
		s.checkIndex(snapshot, stored)
	}
}

// checkVersion checks that all changes up to version are in the store.
func (s *simulation) checkVersion(version string, stored map[string]*simObject) {
	if s.lying.Load() {
		if accepted, _ := s.source.acceptedStates(); int64(accepted) <= s.liedAt.Load() || slices.ContainsFunc(s.active, func(f activeFault) bool { return f.fault.lies }) {
			return
		}
		s.lying.Store(false)
	}
	if !s.informer.HasSynced() {
		return
	}
	if why := s.server.missingChange(simVersion(version), stored, s.source.isHidden); why != "" {
		s.failf("the store lacks changes up to its version: %s", why)
	}
}

// checkIndex checks that the index and the store have the same objects.
func (s *simulation) checkIndex(snapshot indexer.Snapshot[*simObject], stored map[string]*simObject) {
	for _, value := range []string{"all", "on=yes", "drop=yes"} {
		var want, got []string
		for key, obj := range stored {
			if slices.Contains(labelValues(obj), value) {
				want = append(want, key)
			}
		}
		for obj := range snapshot.Find(s.index, value) {
			got = append(got, obj.key())
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			s.failf("the index has %v under %q, want %v", got, value, want)
		}
	}
}

// settle ends all faults and waits until the store equals the content of the server.
func (s *simulation) settle() {
	s.server.RemoveFaults()
	if s.stopped {
		s.server.Start()
	}
	for _, h := range s.handlers {
		h.stopSleeping()
	}
	s.log.add("setup", "all faults are removed")
	const timeout = 2 * time.Hour
	s.await("the informer does not watch, or is behind a version from before a reset", timeout, func() bool {
		// repair writes so much that the server could reach setBackFrom.
		phase := s.informer.State().Source.Phase
		watching := phase == "watching" || s.namespaces != nil && len(s.namespaces.covered) == 0
		return watching && !s.mustNotWrite() && s.setBackFrom == 0
	})
	s.repair()
	var why string
	s.awaitWithReason(&why, timeout, func() bool {
		why = s.difference()
		return why == ""
	})
	time.Sleep(10 * time.Minute)
	synctest.Wait()
	// A store that is behind may have equalled the server by coincidence.
	if why := s.difference(); why != "" {
		s.failf("it equalled the server and no longer does: %s", why)
	}
	s.checkInvariants()
}

// await waits in fake time until done returns true. why is the failure message.
func (s *simulation) await(why string, timeout time.Duration, done func() bool) {
	s.awaitWithReason(&why, timeout, done)
}

// awaitWithReason is await with a reason that done may change.
func (s *simulation) awaitWithReason(why *string, timeout time.Duration, done func() bool) {
	for began := time.Now(); ; time.Sleep(5 * time.Second) {
		synctest.Wait()
		if done() {
			return
		}
		if time.Since(began) > timeout {
			s.failf("after %s without a fault: %s\nstate: %+v", timeout, *why, s.informer.State())
		}
	}
}

// repair writes the objects again whose state no client can know. An object whose
// event cannot be decoded is outdated until its next event. An event that was sent out
// of order and then lost with its connection is lost for every client.
func (s *simulation) repair() {
	for _, namespace := range simNamespaces {
		for _, name := range simNames {
			if s.lying.Load() || s.source.isHidden(simKey(namespace, name)) || s.source.isHidden(simKey("", "")) {
				s.server.sendAgain(namespace, name)
			}
		}
	}
}

// difference describes how the store, or the state that a handler has received, differs
// from the server; "" if they are equal.
func (s *simulation) difference() string {
	want := s.wanted()
	states := map[string]objectState{}
	got := map[string]objectState{}
	for key, obj := range want {
		states[key] = obj.state()
	}
	for obj := range s.informer.All() {
		got[obj.key()] = obj.state()
		if w := want[obj.key()]; w != nil && w.state() == obj.state() && w.number() != obj.number() {
			return fmt.Sprintf("the store has write %s of %s, the server has write %s", obj.number(), obj.key(), w.number())
		}
	}
	if diff := difference(states, got); diff != "" {
		return "the store: " + diff
	}
	for _, h := range s.handlers {
		if h.isRemoved() {
			continue
		}
		if !h.registration.Load().HasSynced() {
			return h.options.Name + " is not synced"
		}
		if diff := difference(states, h.received()); diff != "" {
			return h.options.Name + ": " + diff
		}
	}
	return ""
}

// checkHistories checks the history of each handler and the state of the informer.
func (s *simulation) checkHistories() {
	end := map[string]objectState{}
	for key, obj := range s.wanted() {
		end[key] = obj.state()
	}
	for _, h := range s.handlers {
		history := h.history(s.source, s.handlers[0], end)
		if s.namespaces != nil {
			history.ofNamespaces()
		}
		if err := history.check(); err != nil {
			s.failf("%v", err)
		}
	}
	state := s.informer.State()
	if s.namespaces == nil && state.Version != state.Source.Version {
		s.failf("the source is at version %s, the store at %s", state.Source.Version, state.Version)
	}
	if !state.Synced || !state.Running || state.Objects != len(end) || !isHarmless(state.Source.Err) {
		s.failf("unexpected state without faults: %+v", state)
	}
}

// checkEnd checks that Run returns, and that no callback begins after it.
func (s *simulation) checkEnd(ended chan error) {
	err := <-ended
	ended <- err
	if err != nil {
		s.failf("Run: %v", err)
	}
	var calls []int
	for _, h := range s.handlers {
		calls = append(calls, len(h.callbacksSoFar()))
	}
	time.Sleep(10 * time.Minute)
	for i, h := range s.handlers {
		if len(h.callbacksSoFar()) != calls[i] {
			s.failf("%s was called after Run had returned", h.options.Name)
		}
	}
	if _, err := s.informer.AddEventHandler(&simHandler{log: s.log}, HandlerOptions{}); !errors.Is(err, ErrStopped) {
		s.failf("AddEventHandler after the end: %v, want ErrStopped", err)
	}
}

// wanted returns the objects of the server that the informer must have.
func (s *simulation) wanted() map[string]*simObject {
	all := s.server.shown()
	if s.namespaces != nil {
		maps.DeleteFunc(all, func(_ string, obj *simObject) bool { return !slices.Contains(s.namespaces.covered, obj.Namespace) })
	}
	return all
}

// isHarmless reports whether err is nil or an idle timeout. An idle watch of a server
// without writes is replaced from time to time.
func isHarmless(err error) bool {
	var failure *reflector.Error
	return err == nil || errors.As(err, &failure) && failure.Reason == reflector.ReasonTimeout
}
