package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
)

// TestSimulationOfNamespaces runs an informer of several namespaces against a server with
// faults in single namespaces, while namespaces are added and removed. The guarantees are
// those of TestSimulation, for each namespace: the store has all changes up to the version
// of the namespace, and at the end it equals the server's content of the set; handlers
// receive legal histories.
func TestSimulationOfNamespaces(t *testing.T) {
	seeds := *simSeeds
	if seeds == 0 {
		seeds = 100
		if raceEnabled {
			seeds = 40
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
					synctest.Test(t, func(t *testing.T) { simulateNamespaces(t, seed, hits) })
				})
			}
		}
	})
	if seeds < 100 || t.Failed() {
		return
	}
	for _, name := range []string{"added", "removed", "added again at once", "set back", "403", "410", "compact on request", "cut"} {
		if hits.total(name) == 0 {
			t.Errorf("%q has never occurred: the seeds do not test it", name)
		}
	}
}

// namespaceSimulation is a simulation whose informer has several namespaces. The third
// of them has no objects.
type namespaceSimulation struct {
	*simulation
	covered []string
	// unaware are the namespaces with a version from before a reset of the server's
	// versions, with their epochs, until they have noticed it. There are no writes
	// meanwhile, since no client could distinguish the histories. everSetBack remains
	// set.
	unaware     map[string]int
	everSetBack bool
	// undecidable: a namespace has the version of the first write after a reset, from
	// before it. No client can notice that.
	undecidable bool
}

var coveredNamespaces = append(slices.Clone(simNamespaces), "empty")

func simulateNamespaces(t *testing.T, seed uint64, hits *simHits) {
	s := &namespaceSimulation{simulation: &simulation{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 3)), log: &simLog{start: time.Now()}, hits: hits}}
	defer func() {
		if t.Failed() {
			t.Logf("%s\n\nRun it again: go test ./informer -run TestSimulationOfNamespaces -sim.seed=%d -sim.steps=%d -sim.repeat=20", s.log, seed, *simSteps)
		}
	}()
	srv := apitest.NewServer(apitest.Options{InMemory: true, Seed: seed, History: []int{0, 5, 50}[s.rng.IntN(3)]})
	defer srv.Close()
	s.server = &simServer{Server: srv, t: t, log: s.log, rng: s.rng, wants: func(*simObject) bool { return true }}
	for range 12 {
		s.server.write()
	}
	client, err := rest.New(srv.Config())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	s.source = &simSource{log: s.log}
	view := rest.NewView[*simObject](client, rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Kind: "ConfigMap", Namespaced: true,
	})
	s.covered = s.someNamespaces()
	s.informer = ForNamespaces(nil, view, Options[*simObject]{
		PreferList:        s.rng.IntN(3) == 0,
		IdleTimeout:       []time.Duration{0, 90 * time.Second}[s.rng.IntN(2)],
		WatchErrorHandler: func(_ context.Context, err error) { s.log.add("error", "%v", err) },
		Logger:            slog.New(slog.NewTextHandler(io.Discard, nil)),
	}, s.covered...)
	s.run()
}

func (s *namespaceSimulation) run() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	defer func() { // also after a failure, which ends this goroutine
		cancel()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
		s.waiters.Wait()
	}()
	s.addHandler()
	s.addHandler()
	go func() { ended <- s.informer.Run(ctx) }()
	for n := 0; n < *simSteps && !s.undecidable; n++ {
		s.pause()
		s.step()
		synctest.Wait()
		if !s.undecidable {
			s.checkNamespaces()
		}
	}
	if !s.undecidable {
		s.settle()
	}
}

func (s *namespaceSimulation) step() {
	switch n := s.rng.IntN(20); {
	case n < 8:
		s.write()
	case n < 12:
		s.setNamespaceFault()
	case n < 14:
		s.server.RemoveFaults()
		s.log.add("fault", "all removed")
	case n < 17:
		s.changeNamespaces()
	case n < 18:
		s.server.Restart()
	case n < 19:
		s.setServerBack()
	default:
		s.addHandler()
	}
}

func (s *namespaceSimulation) write() {
	if s.isSetBack() {
		return
	}
	for range 1 + s.rng.IntN(4) {
		s.server.write()
	}
	namespace, version := coveredNamespaces[s.rng.IntN(3)], fmt.Sprint(s.server.version)
	s.waiters.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		defer cancel()
		err := s.informer.WaitForVersionIn(ctx, namespace, version)
		s.log.add("waiter", "for %s in %s: %v", version, namespace, err)
		for _, expected := range []error{nil, ErrNewEpoch, ErrNotCovered, ErrStopped, context.DeadlineExceeded} {
			if errors.Is(err, expected) {
				return
			}
		}
		s.t.Errorf("a wait for %s in %s: %v", version, namespace, err)
	})
}

// setNamespaceFault sets a fault for the requests of one namespace.
func (s *namespaceSimulation) setNamespaceFault() {
	f := simFaults[s.rng.IntN(len(simFaults))]
	if f.lies || f.name == "stale list" || f.name == "another kind" {
		return // the content that a client must have is then not that of the server
	}
	verb := f.verb
	if verb == "" {
		verb = []string{"list", "watch"}[s.rng.IntN(2)]
	}
	namespace := coveredNamespaces[s.rng.IntN(3)]
	on := apitest.Match{Verb: verb, Resource: "configmaps", Namespace: namespace}
	s.server.Fault(apitest.Fault{Match: on, Times: 1, Action: apitest.Call("record "+f.name, func(*apitest.Server) {
		s.hits.hit(f.name, "")
		s.log.add("fault", "%s occurs in %s", f.name, namespace)
	})})
	s.server.Fault(apitest.Fault{Match: on, Times: []int{1, 1, 3, 0}[s.rng.IntN(4)], Action: f.do(s.simulation)})
	s.log.add("fault", "%s for %s in %s", f.name, verb, namespace)
}

func (s *namespaceSimulation) someNamespaces() (some []string) {
	for _, namespace := range coveredNamespaces {
		if s.rng.IntN(3) > 0 {
			some = append(some, namespace)
		}
	}
	return some
}

func (s *namespaceSimulation) changeNamespaces() {
	before := s.covered
	if s.rng.IntN(4) == 0 {
		s.setNamespaces(nil)
		s.hits.hit("added again at once", "")
	}
	s.setNamespaces(s.someNamespaces())
	for _, namespace := range coveredNamespaces {
		was, is := slices.Contains(before, namespace), slices.Contains(s.covered, namespace)
		if was && !is {
			s.hits.hit("removed", "")
		} else if is && !was {
			s.hits.hit("added", "")
		}
	}
}

func (s *namespaceSimulation) setNamespaces(namespaces []string) {
	s.log.add("set", "%v", namespaces)
	if err := s.informer.SetNamespaces(namespaces...); err != nil {
		s.t.Fatal(err)
	}
	s.covered = namespaces
}

// setServerBack restarts the server from a backup.
func (s *namespaceSimulation) setServerBack() {
	if s.isSetBack() {
		return
	}
	s.server.restartBack(uint64(2 + s.rng.IntN(10)))
	s.server.Compact() // a watch from the old history then fails, and makes the client check
	s.everSetBack, s.unaware = true, map[string]int{}
	for _, namespace := range s.covered {
		version, epoch := s.informer.VersionIn(namespace)
		switch v := simVersion(version); {
		case v == s.server.version:
			s.undecidable = true
		case v > s.server.version:
			s.unaware[namespace] = epoch
		}
	}
	s.hits.hit("set back", "")
	s.log.add("server", "is set back to %d", s.server.version)
}

// isSetBack reports whether a namespace has not noticed that the server was set back.
func (s *namespaceSimulation) isSetBack() bool {
	for namespace, epoch := range s.unaware {
		if _, now := s.informer.VersionIn(namespace); now != epoch {
			delete(s.unaware, namespace)
		}
	}
	return len(s.unaware) > 0
}

// checkNamespaces checks what holds whenever all goroutines are blocked.
func (s *namespaceSimulation) checkNamespaces() {
	stored := map[string]*simObject{}
	versions := map[string]string{}
	for _, namespace := range s.covered { // before the store is read
		versions[namespace], _ = s.informer.VersionIn(namespace)
	}
	for obj := range s.informer.All() {
		if !slices.Contains(s.covered, obj.Namespace) {
			s.t.Fatalf("the store has %s, and the namespaces are %v", obj.key(), s.covered)
		}
		stored[obj.key()] = obj
	}
	for namespace, version := range versions {
		if version == "" {
			continue
		}
		isOther := func(key string) bool { return !strings.HasPrefix(key, namespace+"/") }
		if why := s.server.missingChange(simVersion(version), stored, isOther); why != "" {
			s.t.Fatalf("the store lacks changes of the namespace %s up to its version: %s", namespace, why)
		}
	}
	if state := s.informer.State(); state.Epoch != 0 && !s.everSetBack {
		s.t.Fatalf("the epoch is %d, and the server was not set back: %+v", state.Epoch, state.Namespaces)
	}
}

// settle ends all faults and waits until the store and the handlers equal the content of
// the server.
func (s *namespaceSimulation) settle() {
	s.server.RemoveFaults()
	for _, h := range s.handlers {
		h.stopSleeping()
	}
	s.log.add("setup", "all faults are removed")
	var why string
	for range 1000 {
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if why = s.namespacesDiffer(); why == "" && !s.isSetBack() {
			break
		}
	}
	time.Sleep(10 * time.Minute)
	synctest.Wait()
	if why = s.namespacesDiffer(); why != "" {
		s.t.Fatalf("without faults: %s\nstate: %+v", why, s.informer.State())
	}
	s.checkNamespaces()
	end := map[string]objectState{}
	for key, obj := range s.wanted() {
		end[key] = obj.state()
	}
	for i, h := range s.handlers {
		history := h.history(s.source, s.handlers[0], end)
		// What the sources return is not recorded, and namespaces that are added later
		// have initial lists of their own.
		history.source, history.flags, history.ends, history.first = nil, false, false, nil
		for n := range history.callbacks {
			history.callbacks[n].initial = false
		}
		if i > 1 { // it was added later, and has received a snapshot
			history.reference = nil
		}
		if err := history.check(); err != nil {
			s.t.Fatal(err)
		}
	}
}

// wanted returns the objects of the server that the informer must have.
func (s *namespaceSimulation) wanted() map[string]*simObject {
	all := s.server.shown()
	for key, obj := range all {
		if !slices.Contains(s.covered, obj.Namespace) {
			delete(all, key)
		}
	}
	return all
}

func (s *namespaceSimulation) namespacesDiffer() string {
	want, got := map[string]objectState{}, map[string]objectState{}
	for key, obj := range s.wanted() {
		want[key] = obj.state()
	}
	for obj := range s.informer.All() {
		got[obj.key()] = obj.state()
	}
	if diff := difference(want, got); diff != "" {
		return "the store: " + diff
	}
	for _, h := range s.handlers {
		if !h.registration.Load().HasSynced() {
			return h.options.Name + " is not synced"
		}
		if diff := difference(want, h.received()); diff != "" {
			return h.options.Name + ": " + diff
		}
	}
	return ""
}
