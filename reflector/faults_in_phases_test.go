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

// faultCase is a fault of apitest with the places where it can occur.
type faultCase struct {
	name string
	// do is a fault of a request. act is called without a request.
	do  apitest.Action
	act func(*apitest.Server)
	// events: the fault changes the events of a watch. whole: it changes a response
	// that is not a watch. watch and list: it changes all watches or all lists. Other
	// faults can change any request, at its beginning and during a watch.
	events, whole, watch, list bool
	// hides: the effect on an object is not detected until the object is
	// written again.
	hides bool
}

// faultCases has all faults of apitest.
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
	{name: "FailWith", do: apitest.FailWith(fmt.Errorf("internal failure"))},
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
	{name: "Compact", act: (*apitest.Server).Compact},
	{name: "Restart", act: (*apitest.Server).Restart},
	{name: "Compact and Restart", act: func(s *apitest.Server) { s.Compact(); s.Restart() }},
	{name: "RestartFromBackup", act: func(s *apitest.Server) { s.RestartFromBackup(4) }},
	{name: "Stop", act: (*apitest.Server).Stop},
	{name: "ExpireToken", act: func(s *apitest.Server) { s.ExpireToken("ours"); s.Restart() }},
}

// moment is the situation of a reflector in which a fault occurs.
type moment struct {
	name  string
	phase reflector.Phase
	// streams: the initial state is streamed.
	streams bool
	// on matches the request of the fault; nil for moments without a request.
	// events is the number of events before the fault, or -1 for a fault of the
	// request itself.
	on     func(apitest.Request) bool
	verb   string
	events int
	nth    int
	// resumed: the watch is the second one and resumes at the version of the
	// first.
	resumed bool
}

func streams(r apitest.Request) bool   { return r.Parameter("sendInitialEvents") == "true" }
func lists(r apitest.Request) bool     { return r.Verb == "list" }
func continues(r apitest.Request) bool { return r.Parameter("continue") != "" }
func resumes(r apitest.Request) bool   { return r.Verb == "watch" && !streams(r) }
func checks(r apitest.Request) bool    { return r.Verb == "list" && r.Parameter("limit") == "1" }

const faultObjects = 6

// moments has all phases of a reflector. Some occur twice: when the request is
// sent, and when half of its response has been received.
var moments = []moment{
	{name: "asking for the stream", phase: reflector.PhaseStreaming, streams: true, verb: "watch", on: streams, events: -1},
	{name: "in the stream", phase: reflector.PhaseStreaming, streams: true, verb: "watch", on: streams, events: 2},
	{name: "asking for the list", phase: reflector.PhaseListing, verb: "list", on: lists, events: -1},
	{name: "in the list", phase: reflector.PhaseListing, verb: "list", on: continues, events: -1, nth: 2},
	{name: "asking for the watch", phase: reflector.PhaseWatching, verb: "watch", on: resumes, events: -1},
	{name: "asking whether it was set back", phase: reflector.PhaseWatching, streams: true, verb: "list", on: checks, events: -1, resumed: true},
	{name: "asking for the watch again", phase: reflector.PhaseWatching, streams: true, verb: "watch", on: resumes, events: -1, resumed: true},
	{name: "in the watch after a list", phase: reflector.PhaseWatching, verb: "watch", on: resumes, events: 2},
	{name: "in the watch after the stream", phase: reflector.PhaseWatching, streams: true, verb: "watch", on: streams, events: faultObjects + 2},
	{name: "waiting", phase: reflector.PhaseWaiting, verb: ""},
	{name: "idle", phase: reflector.PhaseIdle, verb: ""},
	{name: "stopped", phase: reflector.PhaseStopped, verb: ""},
}

// inapplicable returns why a fault cannot occur at a moment, "" if it can.
func (f *faultCase) inapplicable(m moment) string {
	switch {
	case m.phase == reflector.PhaseIdle || m.phase == reflector.PhaseStopped:
		return "a reflector that is not running sends no requests"
	case f.act != nil && m.on != nil && m.events < 0 && f.name != "Compact":
		return "Call is the same during a request"
	case f.act != nil:
		return ""
	case m.on == nil:
		return "a waiting reflector sends no requests"
	case m.verb != "list" && (f.whole || f.list):
		return "it concerns only responses that are not a watch"
	case m.verb == "list" && (f.events || f.watch):
		return "it concerns only watches"
	case f.name == "StaleList" && m.nth > 0:
		return "the version of a list is that of its first page"
	case m.events >= 0 && m.phase == reflector.PhaseWatching && (f.events || f.hides):
		return "it affects the whole watch and is tested from its beginning"
	case m.phase == reflector.PhaseWatching && strings.Contains(f.name, "InitialEventsEnd"):
		return "the watch has no initial events"
	}
	return ""
}

// After every fault in every phase the store equals the server.
func TestEveryFaultInEveryPhase(t *testing.T) {
	tried := map[string][]string{}
	for _, f := range faultCases {
		for _, m := range moments {
			if why := f.inapplicable(m); why != "" {
				t.Logf("%s, %s: not tested: %s", f.name, m.name, why)
				continue
			}
			tried[f.name] = append(tried[f.name], m.name)
			t.Run(f.name+"/"+m.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { faultAt(t, f, m) })
			})
		}
	}
	for _, f := range faultCases {
		require.NotEmpty(t, tried[f.name], "%s is never tested", f.name)
	}
	for _, name := range slices.Sorted(maps.Keys(tried)) {
		t.Logf("%s: %s", name, strings.Join(tried[name], ", "))
	}
}

// faultObject is a config map.
type faultObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data,omitempty"`
}

func newFaultObject(name, text string) *faultObject {
	return &faultObject{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Data: map[string]string{"text": text},
	}
}

// faultTest is one fault at one moment.
type faultTest struct {
	*testing.T
	fault     faultCase
	moment    moment
	server    *apitest.Server
	reflector *reflector.Reflector[*faultObject]
	store     *indexer.Indexer[*faultObject]

	mu sync.Mutex
	// occurrences has the phases in which the fault occurred.
	occurrences []reflector.Phase
	errors      []string
}

func faultAt(t *testing.T, f faultCase, m moment) {
	s := &faultTest{T: t, fault: f, moment: m, store: indexer.New(indexer.Options[*faultObject]{})}
	s.server = apitest.NewServer(apitest.Options{
		InMemory: true, BookmarkInterval: 10 * time.Second, Seed: 1,
		Tokens:    map[string]apitest.User{"ours": {Name: "ours", Groups: []string{"system:masters"}}},
		Authorize: func(apitest.Attributes) (bool, string) { return true, "" },
	})
	defer s.server.Close()
	for i := range faultObjects {
		apitest.Create(t, s.server, newFaultObject(fmt.Sprint("o", i), "first"))
	}
	for i := range faultObjects { // a stale list differs, and the server can be set back
		s.change(fmt.Sprint("o", i), "second")
	}
	config := s.server.Config()
	config.BearerToken, config.PageSize = "ours", 2
	client, err := rest.New(config)
	require.NoError(t, err)
	defer client.Close()
	view := rest.NewView[*faultObject](client, rest.ResourceInfo{
		GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Kind: "ConfigMap", Namespaced: true,
	})
	s.reflector = reflector.New(view, s.store, reflector.Options[*faultObject]{
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
		s.duringRequest(begin)
	}
	s.requireRecovered()
}

func (s *faultTest) change(name, text string) {
	apitest.Modify(s, s.server, newFaultObject(name, ""), func(o *faultObject) { o.Data = map[string]string{"text": text} })
}

// writes updates an object, deletes one, creates one with the same name, and
// creates a new one. It ends when the server has been set back, because after
// more writes the server would have passed the old version.
func (s *faultTest) writes(round string) {
	for _, write := range []func(){
		func() { s.change("o0", round) },
		func() { apitest.Delete(s, s.server, newFaultObject("o1", "")) },
		func() { apitest.Create(s, s.server, newFaultObject("o1", round)) },
		func() { apitest.Create(s, s.server, newFaultObject("new-"+round, round)) },
	} {
		if s.fault.name == "RestartFromBackup" && round == "during" && s.hasOccurred() {
			return
		}
		write()
		synctest.Wait()
	}
}

func (s *faultTest) hasOccurred() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.occurrences) > 0
}

func (s *faultTest) recordOccurrence(*apitest.Server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.occurrences = append(s.occurrences, s.reflector.State().Phase)
}

// duringRequest sets the fault on a request and runs the reflector.
func (s *faultTest) duringRequest(begin func()) {
	if s.moment.resumed {
		begin()
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(s, reflector.PhaseWatching, s.reflector.State().Phase)
	}
	for _, do := range s.actions() {
		s.server.Fault(apitest.Fault{Match: apitest.Match{Verb: s.moment.verb, Resource: "configmaps", Filter: s.moment.on}, Nth: s.moment.nth, Times: 1, Action: do})
	}
	switch {
	case !s.moment.resumed:
		begin()
	case s.moment.verb == "list": // an outage, after which the version is checked
		s.server.Stop()
		time.Sleep(3 * time.Second)
		s.server.Start()
	default:
		s.server.Restart()
	}
	time.Sleep(time.Second)
	synctest.Wait()
	s.writes("during")
	time.Sleep(time.Minute)
	synctest.Wait()
}

// actions returns the fault and the recording of its occurrence, in the order
// in which they happen.
func (s *faultTest) actions() []apitest.Action {
	taken := apitest.Call("take it down", s.recordOccurrence)
	if s.fault.act != nil {
		taken = apitest.Call("strike", func(server *apitest.Server) { s.recordOccurrence(server); s.fault.act(server) })
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

// whileWaiting causes the fault while the reflector waits after a failure.
func (s *faultTest) whileWaiting(begin func()) {
	begin()
	time.Sleep(time.Minute)
	synctest.Wait()
	require.Equal(s, reflector.PhaseWatching, s.reflector.State().Phase)
	failing := s.server.Fault(apitest.Fault{Match: apitest.Match{Resource: "configmaps"}, Action: apitest.Fail(500, 0)})
	s.server.Restart()
	for s.reflector.State().Phase != reflector.PhaseWaiting {
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
	}
	s.recordOccurrence(nil)
	s.fault.act(s.server)
	failing.Remove()
	synctest.Wait()
	s.writes("during")
	time.Sleep(time.Minute)
	synctest.Wait()
}

// requireRecovered requires that the fault has occurred in its phase, and that
// the store becomes equal to the server.
func (s *faultTest) requireRecovered() {
	s.mu.Lock()
	occurrences := slices.Clone(s.occurrences)
	s.mu.Unlock()
	require.NotEmpty(s, occurrences, "the fault did not occur; faults: %s", s.server.Faults())
	require.Equal(s, s.moment.phase, occurrences[0], "the fault occurred in another phase")
	s.server.RemoveFaults()
	s.server.Start()
	s.server.RestoreToken("ours")
	time.Sleep(5 * time.Minute)
	synctest.Wait()
	if s.fault.hides {
		for _, obj := range apitest.List(s, s.server, newFaultObject("", "")) {
			s.change(obj.Name, "healed")
		}
	}
	s.writes("after")
	time.Sleep(time.Minute)
	synctest.Wait()
	require.Equal(s, s.onServer(), s.inStore(), "errors:\n%s", strings.Join(s.errors, "\n"))
	state := s.reflector.State()
	require.Equal(s, reflector.PhaseWatching, state.Phase)
	require.NoError(s, state.Err)
}

func (s *faultTest) onServer() map[string]string {
	state := map[string]string{}
	for _, obj := range apitest.List(s, s.server, newFaultObject("", "")) {
		state[obj.Name] = fmt.Sprint(obj.UID, " ", obj.ResourceVersion, " ", obj.Data)
	}
	return state
}

func (s *faultTest) inStore() map[string]string {
	state := map[string]string{}
	for obj := range s.store.All() {
		state[obj.Name] = fmt.Sprint(obj.UID, " ", obj.ResourceVersion, " ", obj.Data)
	}
	return state
}
