package informers

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/thinformer/thinformer/reflector"
)

// Who was away while etcd forgot its versions cannot resume: everything is read
// again, once, consistently, and handlers are told what they have missed.
func TestWhatEtcdHasForgottenIsReadAgain(t *testing.T) {
	number := seed(t)
	s := newScene(t)
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
	s.checkComplete()

	s.ourWire.hold()
	s.theirWire.hold()
	rounds(4)
	require.NoError(t, s.servers.Compact(t.Context()))
	rounds(1)
	s.ourWire.release()
	s.theirWire.release()
	s.checkEnd()
	unseen := 0
	for _, p := range s.pairs {
		state := p.ours.State().Source
		if state.Relists != 1 || !strings.HasPrefix(state.RelistReason, string(reflector.Expired)) {
			t.Errorf("%s: read again %d times, for %q", p, state.Relists, state.RelistReason)
		}
		for _, c := range p.ours.heard().all() {
			if c.unknown {
				unseen++
			}
		}
	}
	if unseen == 0 {
		t.Error("there was nothing that nobody saw go: the test shows little")
	}
	rounds(1)
	s.checkEnd()
	s.figures()
}
