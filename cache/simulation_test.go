package cache

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/klog/v2"

	"github.com/thinformer/thinformer/apitest"
)

var (
	simSeed  = flag.Uint64("sim.seed", 0, "run the simulation with this seed only")
	simSeeds = flag.Uint64("sim.seeds", 12, "how many seeds the simulation runs")
	simSteps = flag.Int("sim.steps", 50, "how many steps each simulation takes")
)

// The simulation of package informer applies all faults of a server to a typed
// informer. This one applies most of them to the untyped layer: the sources,
// the handlers and the store. At the end the store equals the server, and each
// handler has received a valid history, in the same order as the other
// handlers.
func TestSimulation(t *testing.T) {
	defer func(crash bool) { utilruntime.ReallyCrash = crash }(utilruntime.ReallyCrash)
	utilruntime.ReallyCrash = false
	first, last := uint64(1), *simSeeds
	if *simSeed != 0 {
		first, last = *simSeed, *simSeed
	}
	for seed := first; seed <= last; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { simulate(t, seed) })
		})
	}
}

// silent is a logger that discards everything.
var silent klog.Logger

// simulation is one run.
type simulation struct {
	t        *testing.T
	rng      *rand.Rand
	server   *apitest.Server
	informer SharedIndexInformer
	// functions is set if the source is a ListWatch of functions.
	functions bool
	handlers  []*simHandler
	writes    int
	events    []string
}

func (s *simulation) note(format string, args ...any) {
	s.events = append(s.events, fmt.Sprintf(format, args...))
}

func (s *simulation) failf(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%s\n\n%s", fmt.Sprintf(format, args...), strings.Join(s.events, "\n"))
}

func simulate(t *testing.T, seed uint64) {
	s := &simulation{t: t, rng: rand.New(rand.NewPCG(seed, 7))}
	s.start()
	for range 8 {
		s.write()
	}
	s.addHandler()
	s.addHandler()
	ctx, cancel := context.WithCancel(klog.NewContext(t.Context(), silent))
	ended := make(chan struct{})
	go func() { defer close(ended); s.informer.RunWithContext(ctx) }()
	for range *simSteps {
		time.Sleep(time.Duration(1+s.rng.IntN(20_000)) * time.Millisecond)
		synctest.Wait()
		s.step()
		synctest.Wait()
		s.checkIndex()
	}
	s.waitUntilIdle()
	s.checkResult()
	cancel()
	<-ended
}

// start creates a server and an informer. The informer reads from a ListWatch
// whose responses are decoded by this package, or by the client.
func (s *simulation) start() {
	srv, client := serverWithClient(s.t)
	s.server = srv
	lw := NewListWatchFromClient(client, "configmaps", metav1.NamespaceAll, nil)
	var example runtime.Object
	if s.rng.IntN(2) == 0 {
		u := &unstructured.Unstructured{}
		u.SetAPIVersion("v1")
		u.SetKind("ConfigMap")
		example = u
	} else {
		s.functions = true
		beneath := *lw
		lw = &ListWatch{ListFunc: func(o metav1.ListOptions) (runtime.Object, error) {
			return beneath.ListWithContext(s.t.Context(), o)
		}, WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return beneath.WatchWithContext(ctx, o)
		}, DisableChunking: s.rng.IntN(2) == 0}
	}
	s.informer = NewSharedIndexInformer(lw, example, 0, Indexers{"on": simIndex})
	s.note("example %v", example)
}

func simIndex(obj any) ([]string, error) { return []string{obj.(metav1.Object).GetLabels()["on"]}, nil }

// simFaults are the faults of requests: of a list, of a watch, or of any
// request.
var simFaults = map[string]map[string]apitest.Action{
	"": {
		"410": apitest.Fail(410, 0), "429": apitest.Fail(429, 2*time.Second), "500": apitest.Fail(500, 0), "403": apitest.Fail(403, 0),
		"html": apitest.HTML(), "garbage": apitest.Respond(200, "application/json", `{"kind": "Conf`), "another kind": apitest.WrongKind(),
		"delay": apitest.Delay(20 * time.Second), "silence": apitest.Silence(), "break": apitest.Break(), "reset": apitest.Reset(),
		"refuse": apitest.Refuse(30 * time.Second),
	},
	"list": {"half": apitest.TruncateJSON(), "stale": apitest.StaleList(4)},
	"watch": {
		"cut": apitest.Cut(), "no bookmarks": apitest.DropBookmarks(), "no end": apitest.DropInitialEventsEnd(),
		"cut at the end": apitest.CutBeforeInitialEventsEnd(), "duplicates": apitest.DuplicateEvents(), "late": apitest.DelayEvents(10 * time.Second),
	},
}

// midway are the faults that may also occur after some events of a watch.
var midway = []string{"410", "500", "garbage", "cut", "break", "reset"}

func (s *simulation) setFault() {
	verb := []string{"", "", "list", "watch"}[s.rng.IntN(4)]
	name := slices.Sorted(maps.Keys(simFaults[verb]))[s.rng.IntN(len(simFaults[verb]))]
	do := simFaults[verb][name]
	if verb == "" {
		verb = []string{"list", "watch"}[s.rng.IntN(2)]
	}
	if verb == "watch" && slices.Contains(midway, name) && s.rng.IntN(2) == 0 {
		do = apitest.AfterEvents(s.rng.IntN(4), do)
	}
	s.server.Fault(apitest.Fault{Match: apitest.Match{Verb: verb, Resource: "configmaps"}, Times: 1 + s.rng.IntN(3), Action: do})
	s.note("fault %s of a %s", name, verb)
}

func (s *simulation) step() {
	switch n := s.rng.IntN(20); {
	case n < 10:
		for range 1 + s.rng.IntN(5) {
			s.write()
		}
	case n < 14:
		s.setFault()
	case n < 17:
		if s.rng.IntN(2) == 0 {
			s.server.Compact()
		}
		s.server.Restart()
		s.note("restart")
	case n < 19:
		s.addHandler()
	default:
		s.removeHandler()
	}
}

func (s *simulation) object(name string) *metav1.PartialObjectMetadata {
	s.writes++
	o := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}}
	o.Namespace, o.Name = "default", name
	s.mark(o)
	return o
}

// mark changes the object so that its state is unique.
func (s *simulation) mark(o *metav1.PartialObjectMetadata) {
	o.Labels = map[string]string{"on": fmt.Sprint(s.rng.IntN(3))}
	o.Annotations = map[string]string{"write": fmt.Sprint(s.writes)}
}

func (s *simulation) write() { s.writeTo(string(rune('a' + s.rng.IntN(5)))) }

func (s *simulation) writeTo(name string) {
	like := s.object(name)
	existing := slices.ContainsFunc(apitest.List(s.t, s.server, like), func(o *metav1.PartialObjectMetadata) bool { return o.Name == name })
	switch n := s.rng.IntN(10); {
	case !existing:
		apitest.Create(s.t, s.server, like)
	case n < 2:
		apitest.Delete(s.t, s.server, like)
	case n < 4:
		apitest.Delete(s.t, s.server, like)
		apitest.Create(s.t, s.server, like)
	default:
		apitest.Modify(s.t, s.server, like, s.mark)
	}
	s.note("write %d of %s", s.writes, name)
}

// checkIndex checks that the index has the objects of the store.
func (s *simulation) checkIndex() {
	ix := s.informer.GetIndexer()
	want, got := map[string][]string{}, map[string][]string{}
	for _, obj := range ix.List() {
		value := obj.(metav1.Object).GetLabels()["on"]
		want[value] = append(want[value], stateOf(obj))
	}
	for _, value := range ix.ListIndexFuncValues("on") {
		found, err := ix.ByIndex("on", value)
		if err != nil {
			s.failf("%v", err)
		}
		for _, obj := range found {
			got[value] = append(got[value], stateOf(obj))
		}
		slices.Sort(got[value])
		slices.Sort(want[value])
	}
	if !maps.EqualFunc(want, got, slices.Equal) {
		s.failf("the store has %v, but the index has %v", want, got)
	}
}

// waitUntilIdle ends all faults and waits until all handlers have received all
// events.
func (s *simulation) waitUntilIdle() {
	s.server.RemoveFaults()
	s.note("end of all faults")
	for _, h := range s.handlers {
		h.wake()
	}
	time.Sleep(2 * time.Hour)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		s.writeTo(name)
	}
	time.Sleep(time.Hour)
	synctest.Wait()
}

func (s *simulation) checkResult() {
	want := map[string]string{}
	for _, o := range apitest.List(s.t, s.server, s.object("a")) {
		want[o.Name] = stateOf(o)
	}
	got := map[string]string{}
	for _, obj := range s.informer.GetStore().List() {
		got[obj.(metav1.Object).GetName()] = stateOf(obj)
	}
	if !maps.Equal(want, got) {
		s.failf("the server has %v, but the store has %v", want, got)
	}
	for n, h := range s.handlers {
		if err := h.check(s.handlers[0], want); err != nil {
			s.failf("handler %d: %v\nits calls\n%v\ncalls of the first handler\n%v", n, err, h.callsSoFar(), s.handlers[0].callsSoFar())
		}
	}
}
