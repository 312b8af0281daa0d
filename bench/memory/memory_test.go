package memory

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/thinformer/thinformer/bench/harness"
)

// Each case runs. The sides themselves wait until their handlers are called for every
// update.
func TestCasesRun(t *testing.T) {
	for _, c := range append(Cases(), LayerCases()...) {
		for _, row := range (harness.Plan{Rounds: 1, Budget: time.Millisecond}).Run(c) {
			if row.Err != nil || row.Ours == nil || row.Theirs == nil && !strings.HasSuffix(row.Case, "/kept") {
				t.Errorf("%+v", row)
			}
		}
	}
}

// If a handler is called once too often, it panics.
func TestSuperfluousCallPanics(t *testing.T) {
	enough := 0
	handler := counting(2, func() { enough++ })
	handler(nil)
	handler(nil)
	defer func() {
		if recover() == nil || enough != 1 {
			t.Errorf("no panic, or done %d times", enough)
		}
	}()
	handler(nil)
}

// A stalled handler must receive the last state of each pod in the end.
func TestStalledHandlerMustReceiveLastStates(t *testing.T) {
	s := &stall{updates: 3 * keys, release: make(chan struct{})}
	close(s.release)
	for range keys {
		s.pods = append(s.pods, &corev1.Pod{})
	}
	for i := range s.updates {
		s.handle(s.pod(i))
		if want := int64(max(0, i+1-2*keys)); s.right.Load() != want {
			t.Fatalf("after update %d of %d, %d of %d pods are right, want %d", i, s.updates, s.right.Load(), keys, want)
		}
	}
	if got := s.pod(s.updates - 1).ResourceVersion; !strings.HasPrefix(got, "300") {
		t.Errorf("the last version is %s", got)
	}
}
