package apitest

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A fault says when it fires: from the Nth request on, so many Times, with a
// Probability.
func TestFaultIsDue(t *testing.T) {
	for _, test := range []struct {
		fault Fault
		draws []float64 // of the requests, in order
		want  string
	}{
		{Fault{}, []float64{0, .5, .9}, "111"},
		{Fault{Nth: 2}, []float64{0, 0, 0, 0}, "0100"},
		{Fault{Nth: 2, Times: 2}, []float64{0, 0, 0, 0}, "0110"},
		{Fault{Times: 2}, []float64{0, 0, 0}, "110"},
		{Fault{Probability: .5}, []float64{.4, .5, .6, 0}, "1001"},
		{Fault{Probability: 1}, []float64{.4, .99}, "11"},
		{Fault{Probability: .5, Times: 1}, []float64{.9, .1, .1}, "010"},
		{Fault{Probability: .5, Nth: 2}, []float64{.1, .9, .1, .1}, "0010"},
	} {
		got, fired := "", 0
		for i, draw := range test.draws {
			if test.fault.due(i+1, fired, draw) {
				got, fired = got+"1", fired+1
			} else {
				got += "0"
			}
		}
		require.Equal(t, test.want, got, "%+v", test.fault)
	}
}

// Every field of a Match narrows it.
func TestMatch(t *testing.T) {
	watch := Request{Verb: "watch", Group: "apps", Version: "v1", Resource: "deployments", Namespace: "a", Path: "/apis/apps/v1/namespaces/a/deployments", UserAgent: "thinformer/1"}
	named := Request{Verb: "patch", Version: "v1", Resource: "pods", Subresource: "status", Namespace: "b", Name: "x", Path: "/api/v1/namespaces/b/pods/x/status"}
	version := Request{Verb: "get", Path: "/version"}
	all := []Request{watch, named, version}
	for _, test := range []struct {
		match Match
		want  string
		says  string
	}{
		{Match{}, "111", "any request"},
		{Match{Verb: "watch"}, "100", "watch"},
		{Match{Group: "apps"}, "100", "any resource of apps"},
		{Match{Group: "core"}, "010", "any resource of core"},
		{Match{Resource: "pods"}, "010", "any pods"},
		{Match{Verb: "patch", Resource: "pods", Subresource: "status"}, "010", "patch pods/status"},
		{Match{Resource: "pods", Subresource: "scale"}, "000", "any pods/scale"},
		{Match{Verb: "watch", Resource: "deployments", Namespace: "a"}, "100", "watch deployments in namespace a"},
		{Match{Name: "x"}, "010", "any request named x"},
		{Match{Path: "/version"}, "001", "any request below /version"},
		{Match{UserAgent: "informer"}, "100", `any request by "informer"`},
		{Match{Where: func(r Request) bool { return r.Name == "" }}, "101", "any request where a function says so"},
	} {
		got := ""
		for _, r := range all {
			if test.match.matches(&r) {
				got += "1"
			} else {
				got += "0"
			}
		}
		require.Equal(t, test.want, got, test.says)
		require.Equal(t, test.says, test.match.String())
	}
}

// A fault is one readable line.
func TestFaultInWords(t *testing.T) {
	pods := Match{Verb: "watch", Resource: "pods", Namespace: "a"}
	for want, fault := range map[string]Fault{
		"watch pods in namespace a: after 3 events, end the stream":                    {On: pods, Do: AfterEvents(3, Cut())},
		"watch pods in namespace a, the 2nd time: reset the connection":                {On: pods, Nth: 2, Do: Reset()},
		"watch pods in namespace a, the 11th and 2 more times: go silent":              {On: pods, Nth: 11, Times: 3, Do: Silence()},
		"any request, once: answer 429 TooManyRequests, retry after 1 s":               {Times: 1, Do: Fail(429, time.Second)},
		"any request, 3 times, with probability 0.1: delay by 2s":                      {Times: 3, Probability: .1, Do: Delay(2 * time.Second)},
		"any request: refuse connections for 5s":                                       {Do: Refuse(5 * time.Second)},
		"any request: answer 503 ServiceUnavailable":                                   {Do: Fail(503, 0)},
		"any request: after 1 event, compact":                                          {Do: AfterEvents(1, Call("compact", (*Server).Compact))},
		"any request: before the first event, go silent":                               {Do: AfterEvents(0, Silence())},
		"any request: list the state of 2 versions ago":                                {Do: StaleList(2)},
		"any request: end the stream before the bookmark that ends the initial events": {Do: CutBeforeInitialEventsEnd()},
	} {
		require.Equal(t, want, fault.String())
	}
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	srv.Fault(Fault{On: pods, Do: Break()})
	second := srv.Fault(Fault{Do: HTML()})
	require.Equal(t, "watch pods in namespace a: break off in the middle (never fired)\nany request: answer 200 with a page of HTML (never fired)", fmt.Sprint(srv.Faults()))
	second.Lift()
	second.Lift() // lifting twice is once
	require.Len(t, srv.Faults(), 1)
	srv.LiftFaults()
	require.Empty(t, srv.Faults())
	require.Equal(t, "no faults", fmt.Sprint(srv.Faults()))
	require.Nil(t, srv.faults.standing.Load(), "without faults there is nothing to look through")
}

// Faults apply in the order in which they were set, up to the one that ends the
// request; those behind it do not count it.
func TestFaultsCompose(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	var order []string
	note := func(what string) Action { return Call(what, func(*Server) { order = append(order, what) }) }
	first := srv.Fault(Fault{Do: note("first")})
	second := srv.Fault(Fault{Do: note("second")})
	ends := srv.Fault(Fault{Nth: 2, Do: Fail(http.StatusTeapot, 0)})
	last := srv.Fault(Fault{Do: note("last")})
	code := func() int {
		response, err := srv.testClient(t).Get(srv.URL + "/healthz")
		require.NoError(t, err)
		response.Body.Close()
		return response.StatusCode
	}
	require.Equal(t, 200, code())
	require.Equal(t, 418, code())
	second.Lift()
	require.Equal(t, 200, code())
	require.Equal(t, []string{"first", "second", "last", "first", "second", "first", "last"}, order)
	require.Equal(t, []int{3, 2, 1, 2}, []int{first.Fired(), second.Fired(), ends.Fired(), last.Fired()})
}

// Probabilities repeat with the seed, whatever other faults there are.
func TestFaultsRepeatWithTheSeed(t *testing.T) {
	outcome := func(seed uint64, others int) (fired string) {
		srv := NewServer(Options{InMemory: true, Seed: seed})
		defer srv.Close()
		likely := srv.Fault(Fault{Probability: .5, Do: Delay(0)})
		for range others {
			srv.Fault(Fault{Probability: .5, Do: Delay(0)})
		}
		for range 64 {
			before := likely.Fired()
			srv.faults.of(&Request{Verb: "get"})
			fired += fmt.Sprint(likely.Fired() - before)
		}
		return fired
	}
	require.Equal(t, outcome(1, 0), outcome(1, 3))
	require.NotEqual(t, outcome(1, 0), outcome(2, 0))
	require.NotEqual(t, outcome(0, 0), outcome(0, 0), "without a seed, servers differ")
}

// A fault without an action, and an action in a place where it cannot happen,
// are mistakes of the test, and are told at once.
func TestFaultsThatCannotBe(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	for want, fault := range map[string]Fault{
		`apitest: the fault "any request: ": it has nothing to Do`:                              {},
		`apitest: the fault "list: drop all bookmarks": this cannot happen to a list`:           {On: Match{Verb: "list"}, Do: DropBookmarks()},
		`apitest: the fault "watch: list the state of 1 versions ago": this cannot happen to a`: {On: Match{Verb: "watch"}, Do: StaleList(1)},
		`apitest: the fault "GET: go silent": verbs are in small letters`:                       {On: Match{Verb: "GET"}, Do: Silence()},
		`apitest: the fault "any request: go silent": a Probability is between 0 and 1`:         {Probability: 30, Do: Silence()},
		`apitest: the fault "any request: go silent": Nth and Times count from 1`:               {Nth: -1, Do: Silence()},
	} {
		require.Contains(t, panicOf(func() { srv.Fault(fault) }), want)
	}
	require.Empty(t, srv.Faults())
	require.Contains(t, panicOf(func() { AfterEvents(1, DuplicateEvents()) }), "apitest: AfterEvents(1, send each event twice): ")
	require.Contains(t, panicOf(func() { AfterEvents(1, StaleList(1)) }), "not at a point between them")
	require.Contains(t, panicOf(func() { AfterEvents(1, Action{}) }), "apitest: AfterEvents: there is nothing to do")
	require.Contains(t, panicOf(func() { Fail(200, 0) }), "apitest: Fail(200): ")
	require.Contains(t, panicOf(func() { Respond(0, "", "") }), "apitest: Respond(0): ")
}

// panicOf is what a function panics with.
func panicOf(f func()) (what string) {
	defer func() { what = fmt.Sprint(recover()) }()
	f()
	return ""
}
