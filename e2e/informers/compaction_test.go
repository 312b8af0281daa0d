package informers

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/thinformer/thinformer/reflector"
)

// An informer that is disconnected while etcd is compacted cannot resume. It lists once
// more, and its handler receives the missed changes.
func TestInformerListsAgainAfterCompaction(t *testing.T) {
	number := seed(t)
	s := newFixture(t)
	for _, lists := range []bool{false, true} {
		s.read(subjectOf[corev1.Event]("events by protobuf", events, protobuf, false, typedSource, new(corev1.Event)), lists)
		s.read(subjectOf[corev1.Event]("selected events by JSON", events, asHTTP1, true, typedSource, new(corev1.Event)), lists)
	}
	s.run()
	s.checkModes()
	plan := newPlan(number, events)
	rounds := func(n int) {
		for range n {
			require.NoError(t, s.writer.round(t.Context(), plan.round()))
		}
	}
	rounds(3)
	// An object that is certainly deleted while the informers are away: the plan may
	// delete none.
	doomed := write{action: create, kind: events, name: "doomed", serial: 1, selected: true}
	require.NoError(t, s.writer.do(t.Context(), doomed))
	s.checkComplete()

	s.ourWire.hold()
	s.theirWire.hold()
	rounds(4)
	doomed.action = drop
	require.NoError(t, s.writer.do(t.Context(), doomed))
	require.NoError(t, s.servers.Compact(t.Context()))
	rounds(1)
	s.ourWire.release()
	s.theirWire.release()
	s.checkEnd()
	unseen := 0
	for _, p := range s.pairs {
		state := p.ours.State().Source
		if state.Relists != 1 || !strings.HasPrefix(state.RelistReason, string(reflector.ReasonExpired)) {
			t.Errorf("%s: %d relists for %q, want one because the version has expired", p, state.Relists, state.RelistReason)
		}
		for _, c := range p.ours.notifications().all() {
			if c.unknown {
				unseen++
			}
		}
	}
	if unseen == 0 {
		t.Error("no deletion was missed: the test proves little")
	}
	rounds(1)
	s.checkEnd()
	s.figures()
}
