package apitest

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A fault fires from the Nth request on, the given number of Times, with the
// given Probability.
func TestFaultIsDue(t *testing.T) {
	for _, test := range []struct {
		fault Fault
		draws []float64 // one per request
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

// Every field of a Match restricts it.
func TestMatch(t *testing.T) {
	watch := Request{Verb: "watch", Group: "apps", Version: "v1", Resource: "deployments", Namespace: "a", Path: "/apis/apps/v1/namespaces/a/deployments", UserAgent: "thinformer/1"}
	named := Request{Verb: "patch", Version: "v1", Resource: "pods", Subresource: "status", Namespace: "b", Name: "x", Path: "/api/v1/namespaces/b/pods/x/status"}
	version := Request{Verb: "get", Path: "/version"}
	all := []Request{watch, named, version}
	for _, test := range []struct {
		match Match
		want  string
		text  string
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
		{Match{Filter: func(r Request) bool { return r.Name == "" }}, "101", "any request where a function returns true"},
	} {
		got := ""
		for _, r := range all {
			if test.match.matches(&r) {
				got += "1"
			} else {
				got += "0"
			}
		}
		require.Equal(t, test.want, got, test.text)
		require.Equal(t, test.text, test.match.String())
	}
}

// A fault prints as one readable line.
func TestFaultString(t *testing.T) {
	pods := Match{Verb: "watch", Resource: "pods", Namespace: "a"}
	for want, fault := range map[string]Fault{
		"watch pods in namespace a: after 3 events, end the stream":                    {Match: pods, Action: AfterEvents(3, Cut())},
		"watch pods in namespace a, the 2nd time: reset the connection":                {Match: pods, Nth: 2, Action: Reset()},
		"watch pods in namespace a, the 11th and 2 more times: go silent":              {Match: pods, Nth: 11, Times: 3, Action: Silence()},
		"any request, once: respond with 429 TooManyRequests, retry after 1 s":         {Times: 1, Action: Fail(429, time.Second)},
		"any request, 3 times, with probability 0.1: delay by 2s":                      {Times: 3, Probability: .1, Action: Delay(2 * time.Second)},
		"any request: refuse connections for 5s":                                       {Action: Refuse(5 * time.Second)},
		"any request: respond with 503 ServiceUnavailable":                             {Action: Fail(503, 0)},
		"any request: after 1 event, compact":                                          {Action: AfterEvents(1, Call("compact", (*Server).Compact))},
		"any request: before the first event, go silent":                               {Action: AfterEvents(0, Silence())},
		"any request: list the state of 2 versions ago":                                {Action: StaleList(2)},
		"any request: end the stream before the bookmark that ends the initial events": {Action: CutBeforeInitialEventsEnd()},
	} {
		require.Equal(t, want, fault.String())
	}
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	srv.Fault(Fault{Match: pods, Action: Break()})
	second := srv.Fault(Fault{Action: HTML()})
	require.Equal(t, "watch pods in namespace a: break off in the middle (never fired)\nany request: respond with 200 and a page of HTML (never fired)", fmt.Sprint(srv.Faults()))
	second.Remove()
	second.Remove() // a second Remove does nothing
	require.Len(t, srv.Faults(), 1)
	srv.RemoveFaults()
	require.Empty(t, srv.Faults())
	require.Equal(t, "no faults", fmt.Sprint(srv.Faults()))
	require.Nil(t, srv.faults.active.Load(), "without faults, requests are not matched")
}

// Faults apply in the order in which they were set, up to the one that ends the
// request. Later faults do not count the request.
func TestFaultsCompose(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	var order []string
	note := func(text string) Action { return Call(text, func(*Server) { order = append(order, text) }) }
	first := srv.Fault(Fault{Action: note("first")})
	second := srv.Fault(Fault{Action: note("second")})
	ends := srv.Fault(Fault{Nth: 2, Action: Fail(http.StatusTeapot, 0)})
	last := srv.Fault(Fault{Action: note("last")})
	code := func() int {
		response, err := srv.testClient(t).Get(srv.URL + "/healthz")
		require.NoError(t, err)
		response.Body.Close()
		return response.StatusCode
	}
	require.Equal(t, 200, code())
	require.Equal(t, 418, code())
	second.Remove()
	require.Equal(t, 200, code())
	require.Equal(t, []string{"first", "second", "last", "first", "second", "first", "last"}, order)
	require.Equal(t, []int{3, 2, 1, 2}, []int{first.Fired(), second.Fired(), ends.Fired(), last.Fired()})
}

// Outcomes with a probability repeat with the seed, regardless of other faults.
func TestFaultsRepeatWithTheSeed(t *testing.T) {
	outcome := func(seed uint64, others int) (fired string) {
		srv := NewServer(Options{InMemory: true, Seed: seed})
		defer srv.Close()
		likely := srv.Fault(Fault{Probability: .5, Action: Delay(0)})
		for range others {
			srv.Fault(Fault{Probability: .5, Action: Delay(0)})
		}
		for range 64 {
			before := likely.Fired()
			srv.faults.matching(&Request{Verb: "get"})
			fired += fmt.Sprint(likely.Fired() - before)
		}
		return fired
	}
	require.Equal(t, outcome(1, 0), outcome(1, 3))
	require.NotEqual(t, outcome(1, 0), outcome(2, 0))
	require.NotEqual(t, outcome(0, 0), outcome(0, 0), "without a seed, servers differ")
}

// A fault without an action, or whose action does not apply, panics at once.
func TestInvalidFaults(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	for want, fault := range map[string]Fault{
		`apitest: Fault("any request: "): Do is not set`:                                                         {},
		`apitest: Fault("list: drop all bookmarks"): the action does not apply to the verb list`:                 {Match: Match{Verb: "list"}, Action: DropBookmarks()},
		`apitest: Fault("watch: list the state of 1 versions ago"): the action does not apply to the verb watch`: {Match: Match{Verb: "watch"}, Action: StaleList(1)},
		`apitest: Fault("GET: go silent"): On.Verb must be in lower case`:                                        {Match: Match{Verb: "GET"}, Action: Silence()},
		`apitest: Fault("any request: go silent"): Probability must be between 0 and 1`:                          {Probability: 30, Action: Silence()},
		`apitest: Fault("any request: go silent"): Nth and Times must not be negative`:                           {Nth: -1, Action: Silence()},
	} {
		require.Contains(t, panicOf(func() { srv.Fault(fault) }), want)
	}
	require.Empty(t, srv.Faults())
	require.Contains(t, panicOf(func() { AfterEvents(1, DuplicateEvents()) }), "apitest: AfterEvents(1, send each event twice): ")
	require.Contains(t, panicOf(func() { AfterEvents(1, StaleList(1)) }), "not between two events")
	require.Contains(t, panicOf(func() { AfterEvents(1, Action{}) }), "apitest: AfterEvents: the action is not set")
	require.Contains(t, panicOf(func() { Fail(200, 0) }), "apitest: Fail(200): ")
	require.Contains(t, panicOf(func() { Respond(0, "", "") }), "apitest: Respond(0): ")
}

// panicOf returns the panic value of a function.
func panicOf(f func()) (message string) {
	defer func() { message = fmt.Sprint(recover()) }()
	f()
	return ""
}
