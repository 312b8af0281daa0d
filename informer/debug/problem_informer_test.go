package debug

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
)

// Each state of an informer has a health, and each problem a hint.
func TestProblemsOfStates(t *testing.T) {
	now := time.Now()
	failure := func(reason reflector.Reason) error {
		return &reflector.Error{Name: "pods", Verb: "watch", Reason: reason, Err: errors.New("cause")}
	}
	running := func(source reflector.State) informer.State {
		return informer.State{Name: "pods", Resource: podResource, Running: true, Synced: true, Source: source}
	}
	first := func(queued int, source reflector.State) informer.State {
		return informer.State{Name: "pods", Resource: podResource, Running: true, Queued: queued, Source: source}
	}
	handler := func(h informer.HandlerState) informer.State {
		s := running(reflector.State{Phase: reflector.PhaseWatching})
		s.Handlers = []informer.HandlerState{h}
		return s
	}
	for name, c := range map[string]struct {
		state      informer.State
		health     health
		text, hint string
	}{
		"healthy":      {state: running(reflector.State{Phase: reflector.PhaseWatching}), health: healthy},
		"not running":  {informer.State{Source: reflector.State{Phase: reflector.PhaseIdle}}, waiting, "not running", "Call its Run, or Start of its factory."},
		"stopped":      {informer.State{Stopped: true, Synced: true}, failing, "has stopped", "An informer runs once"},
		"listing":      {first(0, reflector.State{Phase: reflector.PhaseListing}), waiting, "first list is not complete", "Nothing, unless it takes long"},
		"storing":      {first(3, reflector.State{Phase: reflector.PhaseWatching}), waiting, "first list is being stored", "too little CPU"},
		"forbidden":    {first(0, reflector.State{Phase: reflector.PhaseWaiting, Err: failure(reflector.ReasonForbidden)}), failing, "watch pods: cause", `Allow the user named in the error to list and watch pods, with a Role or ClusterRole (apiGroups: [""], resources: ["pods"], verbs: [list, watch]) and a binding; no restart is needed. The cache has no objects yet.`},
		"unauthorized": {first(0, reflector.State{Phase: reflector.PhaseWaiting, Err: failure(reflector.ReasonUnauthorized)}), failing, "watch pods: cause", "The server rejects these credentials, or they have expired"},
		"not found":    {first(0, reflector.State{Phase: reflector.PhaseWaiting, Err: failure(reflector.ReasonNotFound)}), failing, "watch pods: cause", "The server does not serve pods"},
		"unreachable":  {running(reflector.State{Phase: reflector.PhaseWaiting, Err: failure(reflector.ReasonUnreachable)}), failing, "watch pods: cause", "Check the address in the config, and the network between this process and the server. The cache keeps its last state meanwhile."},
		"undecodable":  {first(0, reflector.State{Phase: reflector.PhaseWaiting, Err: failure(reflector.ReasonUndecodable)}), failing, "watch pods: cause", "An object does not fit the Go type"},
		"throttled":    {running(reflector.State{Phase: reflector.PhaseListing, Err: failure(reflector.ReasonThrottled)}), failing, "watch pods: cause", "see the log of the server"},
		"other":        {running(reflector.State{Phase: reflector.PhaseWaiting, Err: failure(reflector.ReasonOther)}), failing, "watch pods: cause", "Wait: the request is repeated. The cache keeps"},
		"own source":   {running(reflector.State{Phase: reflector.PhaseWaiting, Err: errors.New("cause")}), failing, "cause", "Wait: "},
		"recovering":   {running(reflector.State{Phase: reflector.PhaseWatching, Err: failure(reflector.ReasonUnreachable), Recovering: true}), waiting, "recovers. Its last failure: watch pods: cause", "open for ten seconds"},
		"missing": {running(reflector.State{Phase: reflector.PhaseWatching, ListUndecodable: 2, ListErr: errors.New("cause")}), failing,
			"2 objects of the list could not be decoded and are missing from the cache, the first because: cause", "Correct ResourceInfo.Kind if the server sent another kind, else the Go type or the object."},
		"slow handler":  {handler(informer.HandlerState{Name: "audit", Pending: 4, Since: now.Add(-behindAfter)}), waiting, "The handler audit is behind", "a goroutine profile shows where it is"},
		"quick handler": {state: handler(informer.HandlerState{Name: "audit", Pending: 4, Since: now.Add(1 - behindAfter)}), health: healthy},
		"long callback": {state: handler(informer.HandlerState{Name: "audit", Since: now.Add(-time.Hour)}), health: healthy},
	} {
		t.Run(name, func(t *testing.T) {
			problems := problemsOf(c.state, now)
			require.Equal(t, c.health, healthOf(problems))
			if c.health == healthy {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.Contains(t, problems[0].Text, c.text)
			require.Contains(t, problems[0].Hint, c.hint)
		})
	}
}

// The head of the page counts the components, and shows the worst health.
func TestTally(t *testing.T) {
	for want, c := range map[string]struct {
		tally tally
		worst health
	}{
		"There are no informers.":                           {tally{}, healthy},
		"The only component is healthy.":                    {tally{healthy: 1}, healthy},
		"All 3 components are healthy.":                     {tally{healthy: 3}, healthy},
		"Of 3 components: 1 waiting, 2 healthy.":            {tally{healthy: 2, waiting: 1}, waiting},
		"Of 6 components: 3 failing, 1 waiting, 2 healthy.": {tally{healthy: 2, waiting: 1, failing: 3}, failing},
		"The only component is failing.":                    {tally{failing: 1}, failing},
	} {
		require.Equal(t, want, c.tally.String())
		require.Equal(t, c.worst, c.tally.worst())
	}
}
