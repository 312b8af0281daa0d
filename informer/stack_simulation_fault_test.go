package informer

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/reflector"
)

// simHits counts how often each fault has occurred in each phase of the reflector.
type simHits struct {
	mu    sync.Mutex
	count map[string]map[reflector.Phase]int
}

func (h *simHits) hit(fault string, phase reflector.Phase) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.count == nil {
		h.count = map[string]map[reflector.Phase]int{}
	}
	if h.count[fault] == nil {
		h.count[fault] = map[reflector.Phase]int{}
	}
	h.count[fault][phase]++
}

func (h *simHits) total(fault string) (n int) {
	for _, inPhase := range h.count[fault] {
		n += inPhase
	}
	return n
}

var simPhases = []reflector.Phase{reflector.PhaseStreaming, reflector.PhaseListing, reflector.PhaseWatching, reflector.PhaseWaiting}

// String returns a table of faults and phases.
func (h *simHits) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-42s", "fault")
	for _, phase := range simPhases {
		fmt.Fprintf(&b, "%10s", phase)
	}
	for _, fault := range slices.Sorted(maps.Keys(h.count)) {
		fmt.Fprintf(&b, "\n%-42s", fault)
		for _, phase := range simPhases {
			fmt.Fprintf(&b, "%10d", h.count[fault][phase])
		}
	}
	return b.String()
}

// simFault is a fault of requests.
type simFault struct {
	name string
	// verb is the verb of the requests; "" means any.
	verb string
	// midWatch: the fault can also occur after some events of a watch.
	midWatch bool
	// lies: during the fault no client can know the current version.
	lies bool
	do   func(s *simulation) apitest.Action
}

func simFail(name string, code int) simFault {
	return simFault{name: name, midWatch: true, do: func(s *simulation) apitest.Action {
		retryAfter := time.Duration(0)
		if code == http.StatusTooManyRequests || code >= 500 {
			retryAfter = time.Duration(s.rng.IntN(4)) * time.Second
		}
		return apitest.Fail(code, retryAfter)
	}}
}

func simAct(name, verb string, midWatch bool, do apitest.Action) simFault {
	return simFault{name: name, verb: verb, midWatch: midWatch, do: func(*simulation) apitest.Action { return do }}
}

// simFaults are the faults of requests. Steps of the simulation change the server.
var simFaults = []simFault{
	simFail("400", 400), simFail("401", 401), simFail("403", 403), simFail("404", 404),
	simFail("405", 405), simFail("410", 410), simFail("422", 422), simFail("429", 429),
	simFail("500", 500), simFail("503", 503), simFail("504", 504),
	simAct("HTML page", "", false, apitest.HTML()),
	simAct("garbage", "", true, apitest.Respond(200, "application/json", `{"kind": "Conf`)),
	simAct("unknown event type", "watch", true, apitest.Respond(200, "application/json", `{"type":"SOMETHING","object":{}}`+"\n")),
	simAct("delay", "", true, apitest.Delay(20*time.Second)),
	simAct("silence", "", true, apitest.Silence()),
	simAct("freeze", "", true, apitest.Freeze()),
	simAct("cut", "watch", true, apitest.Cut()),
	simAct("break", "", true, apitest.Break()),
	simAct("reset", "", true, apitest.Reset()),
	{name: "refuse", midWatch: true, do: func(s *simulation) apitest.Action {
		return apitest.Refuse(time.Duration(1+s.rng.IntN(90)) * time.Second)
	}},
	simAct("compact on request", "", true, apitest.Call("compact", (*apitest.Server).Compact)),
	simAct("restart on request", "", true, apitest.Call("restart", (*apitest.Server).Restart)),
	simAct("truncated JSON", "list", false, apitest.TruncateJSON()),
	simAct("another kind", "", false, apitest.WrongKind()),
	{name: "stale list", verb: "list", do: func(s *simulation) apitest.Action {
		return apitest.StaleList(uint64(1 + s.rng.IntN(8)))
	}},
	simAct("no bookmarks", "watch", false, apitest.DropBookmarks()),
	simAct("no initial-events-end bookmark", "watch", false, apitest.DropInitialEventsEnd()),
	simAct("cut before the initial-events-end bookmark", "watch", false, apitest.CutBeforeInitialEventsEnd()),
	simAct("duplicate events", "watch", false, apitest.DuplicateEvents()),
	{name: "reordered events", verb: "watch", lies: true, do: func(s *simulation) apitest.Action {
		return apitest.ReorderEvents(time.Duration(100+s.rng.IntN(5000)) * time.Millisecond)
	}},
	{name: "delayed events", verb: "watch", do: func(s *simulation) apitest.Action {
		return apitest.DelayEvents(time.Duration(100+s.rng.IntN(30000)) * time.Millisecond)
	}},
}

// setFault sets a random fault, with a second one that records when it occurs.
func (s *simulation) setFault() {
	f := simFaults[s.rng.IntN(len(simFaults))]
	if s.namespaces != nil && !f.inNamespaces() {
		return
	}
	verb := f.verb
	if verb == "" {
		verb = []string{"list", "watch", "watch"}[s.rng.IntN(3)]
	}
	on := apitest.Match{Verb: verb, Resource: "configmaps"}
	if s.namespaces != nil {
		on.Namespace = coveredNamespaces[s.rng.IntN(len(coveredNamespaces))]
	}
	times := []int{1, 1, 1, 2, 4, 0}[s.rng.IntN(6)]
	nth := []int{0, 0, 0, 2}[s.rng.IntN(4)]
	do := f.do(s)
	name := f.name
	onHit := func() {}
	if f.lies {
		onHit = s.lie
	}
	record := apitest.Call("record "+name, func(*apitest.Server) {
		phase := s.informer.State().Source.Phase
		s.hits.hit(name, phase)
		s.log.add("fault", "%s occurs while %s", name, phase)
		onHit()
	})
	set := func(do apitest.Action) *apitest.InjectedFault {
		return s.server.Fault(apitest.Fault{Match: on, Nth: nth, Times: times, Action: do})
	}
	if f.midWatch && verb == "watch" && s.rng.IntN(2) == 0 {
		n := s.rng.IntN(6)
		in := set(apitest.AfterEvents(n, do))
		s.active = append(s.active, activeFault{[]*apitest.InjectedFault{in, set(apitest.AfterEvents(n, record))}, f})
	} else {
		before := set(record)
		s.active = append(s.active, activeFault{[]*apitest.InjectedFault{before, set(do)}, f})
	}
	s.log.add("fault", "set: %s", s.active[len(s.active)-1].faults)
	if s.rng.IntN(3) == 0 {
		s.forceRelist()
	}
}

// forceRelist makes the source read an initial state, so that the fault also occurs in
// rare phases such as streaming.
func (s *simulation) forceRelist() {
	if s.stopped || s.mustNotWrite() {
		return
	}
	s.server.secret("default")
	s.server.Compact()
	s.server.Restart()
	if s.rng.IntN(3) > 0 {
		s.source.SetWatchListUnsupported("")
	}
	s.log.add("server", "compact and restart, to force a relist; watch-list unsupported: %q", s.source.WatchListUnsupported())
}

// activeFault is a fault that was set, and the one that records it.
type activeFault struct {
	faults []*apitest.InjectedFault
	fault  simFault
}

// removeFault removes a random active fault.
func (s *simulation) removeFault() {
	if len(s.active) == 0 {
		return
	}
	at := s.rng.IntN(len(s.active))
	s.log.add("fault", "remove: %s", s.active[at].faults)
	for _, in := range s.active[at].faults {
		in.Remove()
	}
	s.active = slices.Delete(s.active, at, at+1)
}

// changeServer compacts, restarts, stops, starts or sets back the server, or begins
// outages.
func (s *simulation) changeServer() {
	phase := s.informer.State().Source.Phase
	what := ""
	switch s.rng.IntN(12) {
	case 0, 1:
		what = "compact"
		s.server.Compact()
	case 2, 3:
		what = "restart"
		s.server.Restart()
	case 4:
		what = "compact and restart"
		s.server.Compact()
		s.server.Restart()
	case 5, 6:
		what = "stop"
		if s.stopped {
			s.stopped = false
			s.log.add("server", "start while %s", phase)
			s.server.Start()
			return
		}
		s.stopped = true
		s.server.Stop()
	case 7:
		what = "back"
		if !s.setBack() {
			return
		}
	case 8:
		s.toggleWatchList() // not a fault
		return
	default:
		s.outages()
		return
	}
	s.hits.hit("server: "+what, phase)
	s.log.add("server", "%s while %s", what, phase)
}

// setBack resets the server to an older version. A client cannot detect the reset if the
// server has reached the version that the client has seen before the client's next
// request. Therefore only few writes follow until then.
func (s *simulation) setBack() bool {
	if s.namespaces != nil {
		return s.setBackNamespaces()
	}
	versions := uint64(1 + s.rng.IntN(30))
	if s.stopped || s.mustNotWrite() || s.server.version < s.firstVersion+versions {
		return false
	}
	seen := max(s.source.newest(), simVersion(s.informer.State().Source.Version))
	s.server.restartBack(versions)
	s.log.add("server", "set back from %d by %d, now at %d", seen, versions, s.server.version)
	s.setBackFrom = seen
	_, s.statesAtBack = s.source.at()
	if s.server.version >= seen {
		s.server.secret("default")
		s.server.Compact()
		s.server.Restart()
		s.setBackFrom = 0
		s.lie()
		s.source.mix()
		s.log.add("server", "the reset cannot be detected: compact and restart, to force a relist")
	}
	return true
}

// lie records that the server sends a wrong history until the next accepted initial
// state. An initial state that is being read belongs to the wrong history.
func (s *simulation) lie() {
	_, withCurrent := s.source.acceptedStates()
	s.liedAt.Store(int64(withCurrent))
	s.lying.Store(true)
}

// mustNotWrite reports whether writes could hide from the source that the server was
// set back.
func (s *simulation) mustNotWrite() bool {
	if s.namespaces != nil {
		return s.isSetBack() || s.namespaces.undecidable
	}
	_, states := s.source.at()
	if states > s.statesAtBack && simVersion(s.informer.State().Source.Version) < s.setBackFrom {
		s.setBackFrom = 0
	}
	return s.setBackFrom > 0 && s.server.version+maxVersionsPerStep >= s.setBackFrom
}

func (s *simulation) toggleWatchList() {
	if s.source.WatchListUnsupported() != "" {
		s.source.SetWatchListUnsupported("")
	} else {
		s.source.SetWatchListUnsupported("disabled by the simulation")
	}
	s.log.add("source", "watch-list unsupported: %q", s.source.WatchListUnsupported())
}
