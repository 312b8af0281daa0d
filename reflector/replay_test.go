package reflector

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
)

// What Trace.Step is told is a transcript: the same inputs lead a machine that
// nothing surrounds to the same outcomes, wait for wait.
func TestTheTraceReplays(t *testing.T) {
	type line struct {
		at      time.Time
		in, out string
	}
	var log []line
	o := Options[*configMap]{Trace: &Trace{Step: func(at time.Time, in, out string) {
		log = append(log, line{at, in, out})
	}}}
	var last State
	onServer(t, o, nil, func(b *bench) {
		for i, strike := range []func(){
			func() {
				b.server.Fault(apitest.Fault{On: watches, Do: apitest.CutBeforeInitialEventsEnd()})
				b.server.Stop()
				b.modify("b", "unseen")
				b.server.Compact()
				b.server.Start()
			},
			func() { b.server.RestartBack(5) },
			func() {
				b.server.Fault(apitest.Fault{On: lists, Times: 2, Do: apitest.Fail(429, 5*time.Second)})
				b.server.Restart()
			},
			func() { b.server.Stop(); b.lasts(time.Minute); b.server.Start() },
		} {
			for j := range 10 { // so that there is a past to go back to, and to tell from the present
				b.modify("b", fmt.Sprint(i, j))
				b.lasts(time.Second)
			}
			strike()
			b.modify("a", fmt.Sprint(i))
			b.settles(30 * time.Minute)
			b.server.LiftFaults()
		}
		last = b.r.State()
	})
	p := newPlayer()
	p.m.name = "configmaps"
	stages := map[string]bool{}
	for i, l := range log {
		in, err := parseInput(l.in)
		require.NoError(t, err, l.in)
		require.Equal(t, l.in, in.String())
		in.at = l.at
		if p.m.stage == waiting && in.kind == due {
			require.WithinDuration(t, p.m.failures.retryAt, l.at, 0, "line %d", i)
		}
		require.Equal(t, l.out, p.m.step(in).String(), "line %d: %s", i, l.in)
		stages[p.m.stage.String()] = true
	}
	require.Equal(t, last.Version, p.m.version)
	require.Equal(t, 1, p.m.epoch)
	require.Equal(t, last.Relists, p.m.relists)
	for _, s := range stageNames {
		require.True(t, stages[s] || s == "idle" || s == "starting", "%s was not reached:\n%s", s, strings.Join(stageNames[:], " "))
	}
}
