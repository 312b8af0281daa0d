package reflector

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest"
)

// The lines of Trace.Step are a transcript: for the same inputs a machine has the
// same outcomes and waits.
func TestTraceCanBeReplayed(t *testing.T) {
	type line struct {
		at      time.Time
		in, out string
	}
	var log []line
	o := Options[*configMap]{Trace: &Trace{Step: func(at time.Time, in, out string) {
		log = append(log, line{at, in, out})
	}}}
	var last State
	withServer(t, o, nil, func(b *serverTest) {
		for i, fail := range []func(){
			func() {
				b.server.Fault(apitest.Fault{Match: watches, Action: apitest.CutBeforeInitialEventsEnd()})
				b.server.Stop()
				b.modify("b", "unseen")
				b.server.Compact()
				b.server.Start()
			},
			func() { b.server.RestartFromBackup(5) },
			func() {
				b.server.Fault(apitest.Fault{Match: lists, Times: 2, Action: apitest.Fail(429, 5*time.Second)})
				b.server.Restart()
			},
			func() { b.server.Stop(); b.sleep(time.Minute); b.server.Start() },
		} {
			for j := range 10 { // later versions, so that a restart from a backup goes back
				b.modify("b", fmt.Sprint(i, j))
				b.sleep(time.Second)
			}
			fail()
			b.modify("a", fmt.Sprint(i))
			b.waitForSync(30 * time.Minute)
			b.server.RemoveFaults()
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
		if p.m.stage == stageWaiting && in.kind == inputWaitOver {
			require.WithinDuration(t, p.m.failures.retryAt, l.at, 0, "line %d", i)
		}
		require.Equal(t, l.out, p.m.step(in).String(), "line %d: %s", i, l.in)
		stages[p.m.stage.String()] = true
	}
	require.Equal(t, last.Version, p.m.stored.version)
	require.Equal(t, 1, p.m.stored.epoch)
	require.Equal(t, last.Relists, p.m.progress.relists)
	for _, s := range stageNames {
		require.True(t, stages[s] || s == "idle" || s == "starting", "stage %s was not reached; stages: %s", s, strings.Join(stageNames[:], " "))
	}
}
