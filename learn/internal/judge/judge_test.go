package judge

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// A check fails with a reason for each way in which a solution can go wrong.
func TestRunFindsEachKindOfFailure(t *testing.T) {
	for _, test := range []struct {
		name, reason string
		run          func(t *T, parts stack.Parts)
	}{
		{"passes", "", func(t *T, _ stack.Parts) { t.Logf("not shown") }},
		{"the first failure with the log", "first\nlogged", func(t *T, _ stack.Parts) {
			t.Logf("logged")
			t.Errorf("first")
			t.Fatalf("second")
		}},
		{"panic", "the solution panics: oh", func(*T, stack.Parts) { panic("oh") }},
		{"a call that blocks", "Wait does not return", func(t *T, _ stack.Parts) {
			t.Unblocked("Wait", func() { select {} })
		}},
		{"a call that returns late", "", func(t *T, _ stack.Parts) {
			t.Unblocked("Wait", func() { <-time.After(time.Hour) })
		}},
		{"everything waits after a failure", "first", func(t *T, _ stack.Parts) {
			t.Errorf("first")
			select {}
		}},
		{"a call that panics", "Wait panics: oh", func(t *T, _ stack.Parts) {
			t.Unblocked("Wait", func() { panic("oh") })
		}},
		{"everything waits", "the solution waits forever", func(*T, stack.Parts) { select {} }},
		{"a goroutine is left", "a goroutine of the solution still runs after the check has ended everything", func(*T, stack.Parts) {
			go func() { new(sync.WaitGroup).Wait(); select {} }()
		}},
		{"fake time", "", func(t *T, _ stack.Parts) { <-time.After(time.Hour) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := Run(t, Check{Name: test.name, Run: test.run}, stack.Parts{})
			if result.Check != test.name || !strings.HasPrefix(result.Reason, test.reason) || (test.reason == "") != (result.Reason == "") {
				t.Errorf("reason %q, want %q", result.Reason, test.reason)
			}
		})
	}
}
