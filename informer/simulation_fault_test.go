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

// simHits counts how often each fault has hit in each phase of the reflector.
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
	for _, times := range h.count[fault] {
		n += times
	}
	return n
}

var simPhases = []reflector.Phase{reflector.Streaming, reflector.Listing, reflector.Watching, reflector.Waiting}

// String is a table of faults and phases.
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

// simFault is a fault of a request, for the simulation to choose.
type simFault struct {
	name string
	// verb of the requests; "" is any.
	verb string
	// moment: it can happen in the middle of a watch as well.
	moment bool
	// lies: while it is at work, no client can know which version it is at.
	lies bool
	do   func(s *simulation) apitest.Action
}

func simFail(name string, code int) simFault {
	return simFault{name: name, moment: true, do: func(s *simulation) apitest.Action {
		retryAfter := time.Duration(0)
		if code == http.StatusTooManyRequests || code >= 500 {
			retryAfter = time.Duration(s.rng.IntN(4)) * time.Second
		}
		return apitest.Fail(code, retryAfter)
	}}
}

func simAct(name, verb string, moment bool, do apitest.Action) simFault {
	return simFault{name: name, verb: verb, moment: moment, do: func(*simulation) apitest.Action { return do }}
}

// simFaults are the faults of requests. The server's own methods are among the
// steps.
var simFaults = []simFault{
	simFail("400", 400), simFail("401", 401), simFail("403", 403), simFail("404", 404),
	simFail("405", 405), simFail("410", 410), simFail("422", 422), simFail("429", 429),
	simFail("500", 500), simFail("503", 503), simFail("504", 504),
	simAct("page of HTML", "", false, apitest.HTML()),
	simAct("garbage", "", true, apitest.Respond(200, "application/json", `{"kind": "Conf`)),
	simAct("not an event", "watch", true, apitest.Respond(200, "application/json", `{"type":"SOMETHING","object":{}}`+"\n")),
	simAct("delay", "", true, apitest.Delay(20*time.Second)),
	simAct("silence", "", true, apitest.Silence()),
	simAct("freeze", "", true, apitest.Freeze()),
	simAct("cut", "watch", true, apitest.Cut()),
	simAct("break", "", true, apitest.Break()),
	simAct("reset", "", true, apitest.Reset()),
	{name: "refuse", moment: true, do: func(s *simulation) apitest.Action {
		return apitest.Refuse(time.Duration(1+s.rng.IntN(90)) * time.Second)
	}},
	simAct("compact on request", "", true, apitest.Call("compact", (*apitest.Server).Compact)),
	simAct("restart on request", "", true, apitest.Call("restart", (*apitest.Server).Restart)),
	simAct("half of the JSON", "list", false, apitest.TruncateJSON()),
	simAct("another kind", "", false, apitest.WrongKind()),
	{name: "stale list", verb: "list", do: func(s *simulation) apitest.Action {
		return apitest.StaleList(uint64(1 + s.rng.IntN(8)))
	}},
	simAct("no bookmarks", "watch", false, apitest.DropBookmarks()),
	simAct("no mark at the initial events' end", "watch", false, apitest.DropInitialEventsEnd()),
	simAct("cut before the initial events' end", "watch", false, apitest.CutBeforeInitialEventsEnd()),
	simAct("duplicates", "watch", false, apitest.DuplicateEvents()),
	{name: "reordered", verb: "watch", lies: true, do: func(s *simulation) apitest.Action {
		return apitest.ReorderEvents(time.Duration(100+s.rng.IntN(5000)) * time.Millisecond)
	}},
	{name: "delayed events", verb: "watch", do: func(s *simulation) apitest.Action {
		return apitest.DelayEvents(time.Duration(100+s.rng.IntN(30000)) * time.Millisecond)
	}},
}

// setFault sets a fault at random, with another one beside it that takes down
// when it hits.
func (s *simulation) setFault() {
	f := simFaults[s.rng.IntN(len(simFaults))]
	verb := f.verb
	if verb == "" {
		verb = []string{"list", "watch", "watch"}[s.rng.IntN(3)]
	}
	on := apitest.Match{Verb: verb, Resource: "configmaps"}
	times := []int{1, 1, 1, 2, 4, 0}[s.rng.IntN(6)]
	nth := []int{0, 0, 0, 2}[s.rng.IntN(4)]
	do := f.do(s)
	name := f.name
	lied := func() {}
	if f.lies {
		lied = func() { s.lying.Store(true) }
	}
	taken := apitest.Call("take down "+name, func(*apitest.Server) {
		phase := s.informer.State().Source.Phase
		s.hits.hit(name, phase)
		s.log.add("fault", "%s hits while %s", name, phase)
		lied()
	})
	set := func(do apitest.Action) *apitest.Injected {
		return s.server.Fault(apitest.Fault{On: on, Nth: nth, Times: times, Do: do})
	}
	if f.moment && verb == "watch" && s.rng.IntN(2) == 0 {
		n := s.rng.IntN(6)
		in := set(apitest.AfterEvents(n, do))
		s.standing = append(s.standing, standing{[]*apitest.Injected{in, set(apitest.AfterEvents(n, taken))}, f})
	} else {
		before := set(taken)
		s.standing = append(s.standing, standing{[]*apitest.Injected{before, set(do)}, f})
	}
	s.log.add("fault", "set: %s", s.standing[len(s.standing)-1].faults)
	if s.rng.IntN(3) == 0 {
		s.readAnew()
	}
}

// readAnew has the source read everything anew, so that what was set finds it in
// the phases in which it seldom is, streaming as well.
func (s *simulation) readAnew() {
	if s.stopped || s.overtaken() {
		return
	}
	s.server.secret("default")
	s.server.Compact()
	s.server.Restart()
	if s.rng.IntN(3) > 0 {
		s.source.NoteWatchListTrouble("")
	}
	s.log.add("server", "compact and restart, so that everything is read anew; watch-list trouble %q", s.source.WatchListTrouble())
}

// standing is a fault that was set, and the one beside it.
type standing struct {
	faults []*apitest.Injected
	of     simFault
}

func (s *simulation) liftFault() {
	if len(s.standing) == 0 {
		return
	}
	at := s.rng.IntN(len(s.standing))
	s.log.add("fault", "lift: %s", s.standing[at].faults)
	for _, in := range s.standing[at].faults {
		in.Lift()
	}
	s.standing = slices.Delete(s.standing, at, at+1)
}

// strike does something to the server without a request.
func (s *simulation) strike() {
	phase := s.informer.State().Source.Phase
	what := ""
	switch s.rng.IntN(9) {
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
		// Not a fault: whether watch-list is tried is turned over.
		s.turnWatchList()
		return
	}
	s.hits.hit("server: "+what, phase)
	s.log.add("server", "%s while %s", what, phase)
}

// setBack sets the server back in time. What follows would go unnoticed by any
// client if the server had caught up with what the client has seen before it
// looks: so few writes follow until it has. It goes back only as far as it
// remembers, which may be too near.
func (s *simulation) setBack() bool {
	versions := uint64(1 + s.rng.IntN(30))
	if s.stopped || s.overtaken() || s.server.version < s.firstVersion+versions {
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
		s.lying.Store(true)
		s.log.add("server", "which nobody could notice: everything is to be read again")
	}
	return true
}

// overtaken: the source must read everything again before more is written.
func (s *simulation) overtaken() bool {
	_, states := s.source.at()
	if states > s.statesAtBack && simVersion(s.informer.State().Source.Version) < s.setBackFrom {
		s.setBackFrom = 0
	}
	return s.setBackFrom > 0 && s.server.version+mostVersionsAStep >= s.setBackFrom
}

func (s *simulation) turnWatchList() {
	if s.source.WatchListTrouble() != "" {
		s.source.NoteWatchListTrouble("")
	} else {
		s.source.NoteWatchListTrouble("the simulation will have it so")
	}
	s.log.add("source", "watch-list trouble: %q", s.source.WatchListTrouble())
}
