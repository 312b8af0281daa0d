package judge

import (
	"sync"
	"testing"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// A call that needs a mutex that its caller holds does not return, and ends when the
// caller has unlocked it.
func TestReturns(t *testing.T) {
	var mu sync.Mutex
	lock := func() { mu.Lock(); defer mu.Unlock() }
	result := Run(t, Check{Name: "mutex", Run: func(t *T, _ stack.Parts) {
		if !t.Returns("a call", lock) {
			t.Errorf("a call without an obstacle does not return")
		}
		mu.Lock()
		defer mu.Unlock()
		if t.Returns("a call", lock) {
			t.Errorf("a call that waits for a mutex returns")
		}
	}}, stack.Parts{})
	if result.Reason != "" {
		t.Error(result.Reason)
	}
}
