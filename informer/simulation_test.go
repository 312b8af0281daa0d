package informer

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
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
	simRepeat = flag.Int("sim.repeat", 1, "how often to run each seed: the scheduler is not in its hands")
	simFrom   = flag.Uint64("sim.from", 1, "the first of the seeds")
	simSeeds  = flag.Int("sim.seeds", 0, "how many seeds to run; 0 is 300, or 100 with the race detector")
	simSteps  = flag.Int("sim.steps", 60, "how many steps each simulation takes")
)

// The whole stack against a server that fails in every way it can. At the end
// the store equals what the server has, and each handler was told a legal
// history of it.
func TestSimulation(t *testing.T) {
	seeds := *simSeeds
	if seeds == 0 {
		seeds = 300
		if raceEnabled {
			seeds = 100
		}
	}
	from := *simFrom
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
	names := []string{"server: compact", "server: restart", "server: compact and restart", "server: stop", "server: back"}
	for _, f := range simFaults {
		names = append(names, f.name)
	}
	for _, name := range names {
		if hits.total(name) == 0 {
			t.Errorf("%q has never hit: the seeds do not try what they are for", name)
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

	// machine is what the reflector's machine took in, as a transcript;
	// preferList is how that begins.
	machine    simTranscript
	preferList string

	server   *simServer
	source   *simSource
	informer *SharedInformer[*simObject]
	handlers []*simHandler
	index    *indexer.Index[*simObject]
	standing []standing
	// stopped: the server is. firstVersion is that of the scene, before which it
	// is not set back.
	stopped      bool
	firstVersion uint64
	// setBackFrom is a version that the source has told and the server, set back,
	// has not reached again, 0 if there is none; statesAtBack is how many initial
	// states had been read by then.
	setBackFrom  uint64
	statesAtBack int
	// lying: the server has told events out of order, and not everything anew
	// since, so that no client can know what version it is at.
	lying        atomic.Bool
	statesAtLies int
	// version and epoch are the informer's, when last looked at.
	version uint64
	epoch   int

	waiters sync.WaitGroup
	mu      sync.Mutex
	// arrived is what those who waited for a version have found.
	arrived []arrival
}

// failf ends the run with all that has happened.
func (s *simulation) failf(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%s\n\n%s\n\nWhat the reflector's machine took in, to be played in reflector/testdata:\nnew%s\n----\n\nplay\n%s\n\nAgain: go test ./informer -run TestSimulation -sim.seed=%d -sim.steps=%d -sim.repeat=20",
		fmt.Sprintf(format, args...), s.log, s.preferList, &s.machine, s.seed, *simSteps)
}

func simulate(t *testing.T, seed uint64, hits *simHits) {
	s := &simulation{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 2)), log: &simLog{start: time.Now()}, hits: hits}
	client := s.setTheScene()
	defer client.Close()
	defer s.server.Close()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	defer func() {
		cancel()
		if err := <-ended; err != nil && !t.Failed() {
			s.failf("Run: %v", err)
		}
	}()
	s.addHandler()
	if s.rng.IntN(2) == 0 {
		s.addHandler()
	}
	if s.rng.IntN(3) == 0 {
		s.setFault()
	}
	go func() { ended <- s.informer.Run(ctx) }()
	s.waiters.Go(func() { s.readOn(ctx) })
	for range *simSteps {
		s.pause()
		s.step()
		s.invariants()
	}
	s.settle()
	s.verdict()
	cancel()
	s.afterTheEnd(ended)
	s.waiters.Wait()
}

// setTheScene makes the server and the informer.
func (s *simulation) setTheScene() *rest.Client {
	o := apitest.Options{InMemory: true, Seed: s.seed}
	o.History = []int{0, 0, 5, 50}[s.rng.IntN(4)]
	o.BookmarkEvery = []time.Duration{0, 5 * time.Second}[s.rng.IntN(2)]
	srv := apitest.NewServer(o)
	selected := s.rng.IntN(2) == 0
	filtered := s.rng.IntN(3) == 0
	namespace := []string{"", "", "default"}[s.rng.IntN(3)]
	s.server = &simServer{Server: srv, t: s.t, log: s.log, rng: s.rng, wants: func(obj *simObject) bool {
		return (!selected || obj.Labels["on"] == "yes") && (!filtered || obj.Labels["drop"] != "yes") &&
			(namespace == "" || obj.Namespace == namespace)
	}}
	for range 12 {
		s.server.write()
	}
	for _, namespace := range simNamespaces {
		s.server.secret(namespace) // both namespaces are there from now on
	}
	s.firstVersion = s.server.version
	config := srv.Config()
	config.PageSize = []int64{0, 2, 3}[s.rng.IntN(3)]
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
		Silence:           []time.Duration{0, 0, 90 * time.Second}[s.rng.IntN(3)],
		WatchErrorHandler: func(_ context.Context, err error) { s.log.add("error", "%v", err) },
		Logger:            slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	if selected {
		informerOptions.Tweak = func(o *metav1.ListOptions) { o.LabelSelector = "on=yes" }
	}
	if filtered {
		informerOptions.Filter = func(obj *simObject) bool { return obj.Labels["drop"] != "yes" }
	}
	s.log.add("scene", "history %d, bookmarks every %s, pages of %d, selector %t, filter %t, namespace %q, prefer list %t, watch timeout %s, silence %s",
		o.History, o.BookmarkEvery, config.PageSize, selected, filtered, namespace, informerOptions.PreferList, informerOptions.WatchTimeout, informerOptions.Silence)
	s.informer = New(s.source, informerOptions)
	s.takeDownSteps()
	if informerOptions.PreferList {
		s.preferList = " prefer-list"
	}
	return client
}

// pause lets fake time pass until the next step, and all be done that is to be
// done by then.
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

// mostVersionsAStep is how many versions one step may take.
const mostVersionsAStep = 10

// step is something at random.
func (s *simulation) step() {
	switch n := s.rng.IntN(40); {
	case n < 22:
		if s.overtaken() {
			s.log.add("write", "none: the server must not catch up with what it had told")
			return
		}
		for range 1 + s.rng.IntN(mostVersionsAStep/2) {
			s.server.write()
		}
		if s.setBackFrom == 0 && s.rng.IntN(3) == 0 {
			s.waitForVersion()
		}
	case n < 28:
		s.setFault()
	case n < 32:
		s.liftFault()
	case n < 36:
		s.strike()
	case n < 38:
		s.addHandler()
	case n < 39:
		s.removeHandler()
	default:
		s.addIndex()
	}
}

func (s *simulation) addIndex() {
	if s.index != nil {
		return
	}
	index, err := s.informer.AddIndex("on", byLabel)
	if err != nil {
		s.failf("add an index: %v", err)
	}
	s.index = index
	s.log.add("index", "added")
}

// byLabel files an object under its labels.
func byLabel(obj *simObject) (values []string) {
	for name, value := range obj.Labels {
		values = append(values, name+"="+value)
	}
	return append(values, "all")
}

// invariants hold at every moment at which nothing moves.
func (s *simulation) invariants() {
	synctest.Wait()
	snapshot := s.informer.Reader().Snapshot()
	stored := map[string]*simObject{}
	for obj := range snapshot.All() {
		stored[obj.key()] = obj
	}
	s.versionIsTruthful(snapshot.Version(), stored)
	s.arrivalsAreTrue()
	s.versionNeverGoesBack()
	if s.index != nil {
		s.indexAgrees(snapshot, stored)
	}
}

// versionIsTruthful: everything that happened up to Version is in the store.
func (s *simulation) versionIsTruthful(version string, stored map[string]*simObject) {
	if s.lying.Load() {
		if _, states := s.source.at(); states == s.statesAtLies || slices.ContainsFunc(s.standing, func(f standing) bool { return f.of.lies }) {
			_, s.statesAtLies = s.source.at()
			return
		}
		s.lying.Store(false)
	}
	_, s.statesAtLies = s.source.at()
	if !s.informer.HasSynced() {
		return
	}
	if why := s.server.upToDate(simVersion(version), stored, s.source.isHidden); why != "" {
		s.failf("the version is not truthful: %s", why)
	}
}

func (s *simulation) indexAgrees(snapshot indexer.Snapshot[*simObject], stored map[string]*simObject) {
	for _, value := range []string{"all", "on=yes", "drop=yes"} {
		var want, got []string
		for key, obj := range stored {
			if slices.Contains(byLabel(obj), value) {
				want = append(want, key)
			}
		}
		for obj := range snapshot.Find(s.index, value) {
			got = append(got, obj.key())
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			s.failf("the index has %v under %q, and the store %v", got, value, want)
		}
	}
}

// settle ends all faults and waits until the store is what the server has.
func (s *simulation) settle() {
	s.server.LiftFaults()
	if s.stopped {
		s.server.Start()
	}
	for _, h := range s.handlers {
		h.wake()
	}
	s.log.add("scene", "all faults are lifted")
	const patience = 2 * time.Hour
	s.await("the informer never came to watch, 'patience' after all was well", patience, func() bool {
		// Healing writes so much that the server would catch up.
		return s.informer.State().Source.Phase == "watching" && !s.overtaken() && s.setBackFrom == 0
	})
	s.heal()
	var why string
	s.awaitWhy(&why, patience, func() bool {
		why = s.differs()
		return why == ""
	})
	time.Sleep(10 * time.Minute)
	synctest.Wait()
	// Whoever was behind may have been at the same state on the way, once.
	if why := s.differs(); why != "" {
		s.failf("it was equal to the server, and is no longer: %s", why)
	}
	s.invariants()
}

// await waits in fake time.
func (s *simulation) await(why string, patience time.Duration, done func() bool) {
	s.awaitWhy(&why, patience, done)
}

func (s *simulation) awaitWhy(why *string, patience time.Duration, done func() bool) {
	for began := time.Now(); ; time.Sleep(5 * time.Second) {
		synctest.Wait()
		if done() {
			return
		}
		if time.Since(began) > patience {
			s.failf("after %s without a fault: %s\nstate: %+v", patience, *why, s.informer.State())
		}
	}
}

// heal writes once more what no client can know: what it was told in a form that
// cannot be decoded costs that object until its next event, and what it was told
// out of order and then lost in a broken connection is lost to everybody.
func (s *simulation) heal() {
	for _, namespace := range simNamespaces {
		for _, name := range simNames {
			if s.lying.Load() || s.source.isHidden(simKey(namespace, name)) || s.source.isHidden(simKey("", "")) {
				s.server.retell(namespace, name)
			}
		}
	}
}

// differs says how the store, or what a handler knows, is not what the server
// has.
func (s *simulation) differs() string {
	want := s.server.shown()
	sights := map[string]sight{}
	got := map[string]sight{}
	for key, obj := range want {
		sights[key] = obj.sight()
	}
	for obj := range s.informer.All() {
		got[obj.key()] = obj.sight()
		if w := want[obj.key()]; w != nil && w.sight() == obj.sight() && w.number() != obj.number() {
			return fmt.Sprintf("the store has %s with the write %s, and the server with %s", obj.key(), obj.number(), w.number())
		}
	}
	if diff := difference(sights, got); diff != "" {
		return "the store: " + diff
	}
	for _, h := range s.handlers {
		if h.isRemoved() {
			continue
		}
		if !h.registration.Load().HasSynced() {
			return h.options.Name + " is not synced"
		}
		if diff := difference(sights, h.knows()); diff != "" {
			return h.options.Name + ": " + diff
		}
	}
	return ""
}

// verdict: each handler's history was legal, and the states are what they should
// be.
func (s *simulation) verdict() {
	end := map[string]sight{}
	for key, obj := range s.server.shown() {
		end[key] = obj.sight()
	}
	for _, h := range s.handlers {
		if err := h.story(s.source, s.handlers[0], end).check(); err != nil {
			s.failf("%v", err)
		}
	}
	state := s.informer.State()
	if state.Version != state.Source.Version {
		s.failf("the source has told everything up to %s, and the store says %s", state.Source.Version, state.Version)
	}
	if !state.Synced || !state.Running || state.Objects != len(end) || !isCalm(state.Source.Err) {
		s.failf("all is well, and the state is %+v", state)
	}
}

// afterTheEnd: Run returns, and no callback begins after it.
func (s *simulation) afterTheEnd(ended chan error) {
	err := <-ended
	ended <- err
	if err != nil {
		s.failf("Run: %v", err)
	}
	var told []int
	for _, h := range s.handlers {
		told = append(told, len(h.toldSoFar()))
	}
	time.Sleep(10 * time.Minute)
	for i, h := range s.handlers {
		if len(h.toldSoFar()) != told[i] {
			s.failf("%s was called after Run had returned", h.options.Name)
		}
	}
	if _, err := s.informer.AddEventHandler(&simHandler{log: s.log}, HandlerOptions{}); !errors.Is(err, ErrStopped) {
		s.failf("a handler that was added after the end: %v", err)
	}
}

// isCalm: a server to which nothing is written has nothing to say, and a watch of
// it is replaced now and then.
func isCalm(err error) bool {
	var failure *reflector.Error
	return err == nil || errors.As(err, &failure) && failure.Reason == reflector.Timeout
}
