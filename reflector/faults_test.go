package reflector_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// faultCase is a fault of apitest, and what can be done with it.
type faultCase struct {
	name string
	// do is a fault of a request; strike happens without one.
	do     apitest.Action
	strike func(*apitest.Server)
	// events: it is about the events of a watch; whole: about an answer that is
	// not a watch; watch: about watches in general; list: about lists. Others may
	// happen to any request, when it comes and in the middle of a watch.
	events, whole, watch, list bool
	// hides: what it did to an object no client can know until the object is
	// written again.
	hides bool
}

// faultCases are all faults that apitest has.
var faultCases = []faultCase{
	{name: "Fail 400", do: apitest.Fail(400, 0)},
	{name: "Fail 401", do: apitest.Fail(401, 0)},
	{name: "Fail 403", do: apitest.Fail(403, 0)},
	{name: "Fail 404", do: apitest.Fail(404, 0)},
	{name: "Fail 405", do: apitest.Fail(405, 0)},
	{name: "Fail 406", do: apitest.Fail(406, 0)},
	{name: "Fail 409", do: apitest.Fail(409, 0)},
	{name: "Fail 410", do: apitest.Fail(410, 0)},
	{name: "Fail 422", do: apitest.Fail(422, 0)},
	{name: "Fail 429", do: apitest.Fail(429, 3*time.Second)},
	{name: "Fail 500", do: apitest.Fail(500, 0)},
	{name: "Fail 501", do: apitest.Fail(501, 0)},
	{name: "Fail 503", do: apitest.Fail(503, 3*time.Second)},
	{name: "Fail 504", do: apitest.Fail(504, 0)},
	{name: "FailWith", do: apitest.FailWith(fmt.Errorf("something of the server's"))},
	{name: "Respond", do: apitest.Respond(200, "application/json", `{"kind": "Conf`)},
	{name: "HTML", do: apitest.HTML()},
	{name: "Delay", do: apitest.Delay(15 * time.Second)},
	{name: "Silence", do: apitest.Silence()},
	{name: "Freeze", do: apitest.Freeze()},
	{name: "Cut", do: apitest.Cut(), watch: true},
	{name: "Break", do: apitest.Break()},
	{name: "Reset", do: apitest.Reset()},
	{name: "Refuse", do: apitest.Refuse(20 * time.Second)},
	{name: "Call", do: apitest.Call("compact and restart", func(s *apitest.Server) { s.Compact(); s.Restart() })},
	{name: "TruncateJSON", do: apitest.TruncateJSON(), whole: true},
	{name: "WrongKind", do: apitest.WrongKind(), hides: true},
	{name: "StaleList", do: apitest.StaleList(3), list: true},
	{name: "DropBookmarks", do: apitest.DropBookmarks(), events: true},
	{name: "DropInitialEventsEnd", do: apitest.DropInitialEventsEnd(), events: true},
	{name: "CutBeforeInitialEventsEnd", do: apitest.CutBeforeInitialEventsEnd(), events: true},
	{name: "DuplicateEvents", do: apitest.DuplicateEvents(), events: true},
	{name: "ReorderEvents", do: apitest.ReorderEvents(3 * time.Second), events: true},
	{name: "DelayEvents", do: apitest.DelayEvents(20 * time.Second), events: true},
	{name: "Compact", strike: (*apitest.Server).Compact},
	{name: "Restart", strike: (*apitest.Server).Restart},
	{name: "Compact and Restart", strike: func(s *apitest.Server) { s.Compact(); s.Restart() }},
	{name: "RestartBack", strike: func(s *apitest.Server) { s.RestartBack(4) }},
	{name: "Stop", strike: (*apitest.Server).Stop},
	{name: "ExpireToken", strike: func(s *apitest.Server) { s.ExpireToken("ours"); s.Restart() }},
}

// moment is where a reflector is when a fault comes.
type moment struct {
	name  string
	phase reflector.Phase
	// streams: the initial state is streamed.
	streams bool
	// on is the request that the fault is of, nil for moments without one; events
	// is after how many events it comes, -1 for when the request comes.
	on     func(apitest.Request) bool
	verb   string
	events int
	nth    int
	// resumed: the watch is a second one, from the version of the first.
	resumed bool
}

func streams(r apitest.Request) bool   { return r.Parameter("sendInitialEvents") == "true" }
func lists(r apitest.Request) bool     { return r.Verb == "list" }
func continues(r apitest.Request) bool { return r.Parameter("continue") != "" }
func resumes(r apitest.Request) bool   { return r.Verb == "watch" && !streams(r) }
func checks(r apitest.Request) bool    { return r.Verb == "list" && r.Parameter("limit") == "1" }

const faultObjects = 6

// moments are all phases of a reflector, some of them twice: when the request is
// made, and when half of its answer has come.
var moments = []moment{
	{name: "asking for the stream", phase: reflector.Streaming, streams: true, verb: "watch", on: streams, events: -1},
	{name: "in the stream", phase: reflector.Streaming, streams: true, verb: "watch", on: streams, events: 2},
	{name: "asking for the list", phase: reflector.Listing, verb: "list", on: lists, events: -1},
	{name: "in the list", phase: reflector.Listing, verb: "list", on: continues, events: -1, nth: 2},
	{name: "asking for the watch", phase: reflector.Watching, verb: "watch", on: resumes, events: -1},
	{name: "asking whether it was set back", phase: reflector.Watching, streams: true, verb: "list", on: checks, events: -1, resumed: true},
	{name: "asking for the watch again", phase: reflector.Watching, streams: true, verb: "watch", on: resumes, events: -1, resumed: true},
	{name: "in the watch after a list", phase: reflector.Watching, verb: "watch", on: resumes, events: 2},
	{name: "in the watch after the stream", phase: reflector.Watching, streams: true, verb: "watch", on: streams, events: faultObjects + 2},
	{name: "waiting", phase: reflector.Waiting, verb: ""},
	{name: "idle", phase: reflector.Idle, verb: ""},
	{name: "stopped", phase: reflector.Stopped, verb: ""},
}

// cannot says why a fault cannot happen at a moment, "" if it can.
func (f *faultCase) cannot(m moment) string {
	switch {
	case m.phase == reflector.Idle || m.phase == reflector.Stopped:
		return "a reflector that does not run asks for nothing, and has nothing to keep"
	case f.strike != nil && m.on != nil && m.events < 0 && f.name != "Compact":
		return "without a request it cannot be told from Call, which is tried"
	case f.strike != nil:
		return ""
	case m.on == nil:
		return "it is of a request, and who waits makes none"
	case m.verb != "list" && (f.whole || f.list):
		return "it is about an answer that is not a watch"
	case m.verb == "list" && (f.events || f.watch):
		return "it is about watches"
	case f.name == "StaleList" && m.nth > 0:
		return "a list is as old as its first page"
	case m.events >= 0 && m.phase == reflector.Watching && (f.events || f.hides):
		return "it is at work in the whole watch, and tried from its beginning"
	case m.phase == reflector.Watching && strings.Contains(f.name, "InitialEventsEnd"):
		return "no initial events are to come"
	}
	return ""
}

// Every fault in every phase: the store is equal to the server afterwards.
func TestEveryFaultInEveryPhase(t *testing.T) {
	tried := map[string][]string{}
	for _, f := range faultCases {
		for _, m := range moments {
			if why := f.cannot(m); why != "" {
				t.Logf("%s, %s: not tried, for %s", f.name, m.name, why)
				continue
			}
			tried[f.name] = append(tried[f.name], m.name)
			t.Run(f.name+"/"+m.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { faultAt(t, f, m) })
			})
		}
	}
	for _, f := range faultCases {
		require.NotEmpty(t, tried[f.name], "%s is never tried", f.name)
	}
	for _, name := range slices.Sorted(maps.Keys(tried)) {
		t.Logf("%s: %s", name, strings.Join(tried[name], ", "))
	}
}

// faultThing is a config map.
type faultThing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data,omitempty"`
}

func newFaultThing(name, text string) *faultThing {
	return &faultThing{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Data: map[string]string{"text": text},
	}
}

// faultScene is one fault at one moment.
type faultScene struct {
	*testing.T
	fault     faultCase
	moment    moment
	server    *apitest.Server
	reflector *reflector.Reflector[*faultThing]
	store     *indexer.Indexer[*faultThing]

	mu sync.Mutex
	// hits are the phases in which the fault has come.
	hits   []reflector.Phase
	errors []string
}

func faultAt(t *testing.T, f faultCase, m moment) {
	s := &faultScene{T: t, fault: f, moment: m, store: indexer.New(indexer.Options[*faultThing]{})}
	s.server = apitest.NewServer(apitest.Options{
		InMemory: true, BookmarkEvery: 10 * time.Second, Seed: 1,
		Tokens:    map[string]apitest.User{"ours": {Name: "ours", Groups: []string{"system:masters"}}},
		Authorize: func(apitest.Attributes) (bool, string) { return true, "" },
	})
	defer s.server.Close()
	for i := range faultObjects {
		apitest.Create(t, s.server, newFaultThing(fmt.Sprint("o", i), "first"))
	}
	for i := range faultObjects { // so that a stale list differs, and there is a past to go back to
		s.change(fmt.Sprint("o", i), "second")
	}
	config := s.server.Config()
	config.BearerToken, config.PageSize = "ours", 2
	client, err := rest.New(config)
	require.NoError(t, err)
	defer client.Close()
	view := rest.NewView[*faultThing](client, rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Kind: "ConfigMap", Namespaced: true,
	})
	s.reflector = reflector.New(view, s.store, reflector.Options[*faultThing]{
		PreferList: !m.streams,
		WatchErrorHandler: func(_ context.Context, err error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.errors = append(s.errors, err.Error())
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	defer func() {
		cancel()
		require.NoError(t, <-ended)
	}()
	begin := func() { go func() { ended <- s.reflector.Run(ctx) }() }
	if m.on == nil {
		s.whileWaiting(begin)
	} else {
		s.whileAsking(begin)
	}
	s.isMended()
}

func (s *faultScene) change(name, text string) {
	apitest.Modify(s, s.server, newFaultThing(name, ""), func(o *faultThing) { o.Data = map[string]string{"text": text} })
}

// writes are an update, a deletion, an object of the same name again, and a new
// one. They end when the server has been set back: with a few more nobody could
// tell that it was.
func (s *faultScene) writes(round string) {
	for _, write := range []func(){
		func() { s.change("o0", round) },
		func() { apitest.Delete(s, s.server, newFaultThing("o1", "")) },
		func() { apitest.Create(s, s.server, newFaultThing("o1", round)) },
		func() { apitest.Create(s, s.server, newFaultThing("new-"+round, round)) },
	} {
		if s.fault.name == "RestartBack" && round == "during" && s.isHit() {
			return
		}
		write()
		synctest.Wait()
	}
}

func (s *faultScene) isHit() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.hits) > 0
}

// hit takes down that the fault has come.
func (s *faultScene) hit(*apitest.Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits = append(s.hits, s.reflector.State().Phase)
}

// whileAsking sets the fault on a request, and lets things happen.
func (s *faultScene) whileAsking(begin func()) {
	if s.moment.resumed {
		begin()
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(s, reflector.Watching, s.reflector.State().Phase)
	}
	for _, do := range s.actions() {
		s.server.Fault(apitest.Fault{On: apitest.Match{Verb: s.moment.verb, Resource: "configmaps", Where: s.moment.on}, Nth: s.moment.nth, Times: 1, Do: do})
	}
	if s.moment.resumed {
		s.server.Restart()
	} else {
		begin()
	}
	time.Sleep(time.Second)
	synctest.Wait()
	s.writes("during")
	time.Sleep(time.Minute)
	synctest.Wait()
}

// actions are the fault, and what takes down that it came, in the order in which
// both happen.
func (s *faultScene) actions() []apitest.Action {
	taken := apitest.Call("take it down", s.hit)
	if s.fault.strike != nil {
		taken = apitest.Call("strike", func(server *apitest.Server) { s.hit(server); s.fault.strike(server) })
		if s.moment.events < 0 {
			return []apitest.Action{taken}
		}
		return []apitest.Action{apitest.AfterEvents(s.moment.events, taken)}
	}
	if s.moment.events < 0 {
		return []apitest.Action{taken, s.fault.do}
	}
	taken = apitest.AfterEvents(s.moment.events, taken)
	if s.fault.events || s.fault.hides {
		return []apitest.Action{s.fault.do, taken}
	}
	return []apitest.Action{apitest.AfterEvents(s.moment.events, s.fault.do), taken}
}

// whileWaiting strikes while the reflector waits after a failure.
func (s *faultScene) whileWaiting(begin func()) {
	begin()
	time.Sleep(time.Minute)
	synctest.Wait()
	require.Equal(s, reflector.Watching, s.reflector.State().Phase)
	failing := s.server.Fault(apitest.Fault{On: apitest.Match{Resource: "configmaps"}, Do: apitest.Fail(500, 0)})
	s.server.Restart()
	for s.reflector.State().Phase != reflector.Waiting {
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
	}
	s.hit(nil)
	s.fault.strike(s.server)
	failing.Lift()
	synctest.Wait()
	s.writes("during")
	time.Sleep(time.Minute)
	synctest.Wait()
}

// isMended: the fault came when it was to come, and the store ends equal to the
// server.
func (s *faultScene) isMended() {
	s.mu.Lock()
	hits := slices.Clone(s.hits)
	s.mu.Unlock()
	require.NotEmpty(s, hits, "the fault never came; faults: %s", s.server.Faults())
	require.Equal(s, s.moment.phase, hits[0], "the fault came in another phase")
	s.server.LiftFaults()
	s.server.Start()
	s.server.RestoreToken("ours")
	time.Sleep(5 * time.Minute)
	synctest.Wait()
	if s.fault.hides {
		for _, obj := range apitest.List(s, s.server, newFaultThing("", "")) {
			s.change(obj.Name, "healed")
		}
	}
	s.writes("after")
	time.Sleep(time.Minute)
	synctest.Wait()
	require.Equal(s, s.onServer(), s.inStore(), "errors:\n%s", strings.Join(s.errors, "\n"))
	state := s.reflector.State()
	require.Equal(s, reflector.Watching, state.Phase)
	require.NoError(s, state.Err)
}

func (s *faultScene) onServer() map[string]string {
	state := map[string]string{}
	for _, obj := range apitest.List(s, s.server, newFaultThing("", "")) {
		state[obj.Name] = fmt.Sprint(obj.UID, " ", obj.ResourceVersion, " ", obj.Data)
	}
	return state
}

func (s *faultScene) inStore() map[string]string {
	state := map[string]string{}
	for obj := range s.store.All() {
		state[obj.Name] = fmt.Sprint(obj.UID, " ", obj.ResourceVersion, " ", obj.Data)
	}
	return state
}
