package simulation

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/thinformer/thinformer/apitest"
)

// fault is a kind of fault that a simulation sets at random times.
type fault struct {
	name string
	// verb is the verb of the requests to which the fault applies; "" is any.
	verb string
	// later: in a watch, the fault can also happen after some events.
	later bool
	do    func(rng *rand.Rand) apitest.Action
}

// always returns an action that does not depend on chance.
func always(action apitest.Action) func(*rand.Rand) apitest.Action {
	return func(*rand.Rand) apitest.Action { return action }
}

// fails returns a response with a code.
func fails(code int) func(*rand.Rand) apitest.Action {
	return func(rng *rand.Rand) apitest.Action {
		return apitest.Fail(code, time.Duration(rng.IntN(3))*time.Second)
	}
}

// The faults of the checks. Each check has those of one kind, the last one has all.
var (
	breaks = []fault{
		{"cut", "watch", true, always(apitest.Cut())},
		{"break", "", true, always(apitest.Break())},
		{"reset", "", true, always(apitest.Reset())},
		{"refuse", "", true, func(rng *rand.Rand) apitest.Action {
			return apitest.Refuse(time.Duration(1+rng.IntN(90)) * time.Second)
		}},
		{"restart", "", true, always(apitest.Call("restart", (*apitest.Server).Restart))},
	}
	responses = []fault{
		{"410", "watch", true, fails(410)},
		{"410 in a list", "list", false, fails(410)},
		{"429", "", true, fails(429)},
		{"500", "", true, fails(500)},
		{"compact", "", true, always(apitest.Call("compact", (*apitest.Server).Compact))},
		{"truncated JSON", "list", false, always(apitest.TruncateJSON())},
		{"HTML", "", false, always(apitest.HTML())},
	}
	silences = []fault{
		{"silence", "", true, always(apitest.Silence())},
		{"delay", "", true, always(apitest.Delay(20 * time.Second))},
		{"no bookmarks", "watch", false, always(apitest.DropBookmarks())},
		{"no end mark", "watch", false, always(apitest.DropInitialEventsEnd())},
		{"cut before the end mark", "watch", false, always(apitest.CutBeforeInitialEventsEnd())},
	}
)

// setFault sets a random fault, for a few requests or until it is removed.
func (s *simulation) setFault() {
	f := s.faults[s.rng.IntN(len(s.faults))]
	verb := f.verb
	if verb == "" {
		verb = []string{"list", "watch", "watch", "create", "update", "delete"}[s.rng.IntN(6)]
	}
	action, when := f.do(s.rng), ""
	if n := s.rng.IntN(4); f.later && verb == "watch" && s.rng.IntN(2) == 0 {
		action, when = apitest.AfterEvents(n, action), fmt.Sprintf(" after %d events", n)
	}
	times := 1 + s.rng.IntN(3)
	s.server.Fault(apitest.Fault{Match: apitest.Match{Verb: verb, Resource: "configmaps"}, Times: times, Action: action})
	s.logf("fault: %s%s, for %s, limit %d", f.name, when, verb, times)
	// Without a new list, faults of lists and of initial events would be rare.
	if s.rng.IntN(2) == 0 {
		s.outage()
	}
}

// outage makes the server unavailable during some writes. The watches break, and if the
// history is compacted, the missing changes are only in a new list.
func (s *simulation) outage() {
	s.server.Stop()
	s.logf("stop")
	s.writes.some()
	if s.rng.IntN(4) > 0 {
		s.server.Compact()
		s.logf("compact")
	}
	s.restart()
}

// restart ends all connections, and a stop.
func (s *simulation) restart() {
	s.server.Restart()
	s.stopped = false
	s.logf("restart")
}

// changeServer changes the state of the server, as a fault without a request does.
func (s *simulation) changeServer() {
	switch s.rng.IntN(5) {
	case 0:
		s.server.Compact()
		s.logf("compact")
	case 1:
		s.restart()
	case 2:
		s.outage()
	case 3:
		s.server.RemoveFaults()
		s.logf("remove all faults")
	default:
		s.server.Stop()
		s.stopped = true
		s.logf("stop")
	}
}
