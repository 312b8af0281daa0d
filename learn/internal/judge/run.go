package judge

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/thinformer/thinformer/learn/internal/record"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Run runs a check in a bubble. t is only the frame of the bubble: it does not fail.
func Run(t *testing.T, check Check, parts stack.Parts) record.Result {
	recorder := new(T)
	func() {
		defer func() {
			if value := recover(); value != nil {
				recorder.deadlock(value)
			}
		}()
		synctest.Test(t, func(t *testing.T) {
			recorder.bubble = t
			defer recorder.recoverPanic("the solution")
			check.Run(recorder, parts)
		})
	}()
	return record.Result{Check: check.Name, Reason: recorder.reason()}
}

// deadlock reports that the goroutines of the bubble wait for each other. After another
// failure, which is the reason, the parts may be left in any state.
func (t *T) deadlock(value any) {
	text := fmt.Sprint(value)
	if strings.Contains(text, "blocked goroutines remain") {
		t.Errorf("a goroutine of the solution still runs after the check has ended everything%s", waitsAt())
		return
	}
	t.Errorf("the solution waits forever%s", waitsAt())
}

// reason returns the first failure with the log of the check.
func (t *T) reason() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.failures) == 0 {
		return ""
	}
	return strings.Join(append(t.failures[:1:1], t.log...), "\n")
}

// Test runs the checks of a step as subtests of t.
func Test(t *testing.T, step Step, parts stack.Parts) {
	for _, check := range step.Checks {
		t.Run(check.Name, func(t *testing.T) {
			if result := Run(t, check, parts); result.Reason != "" {
				t.Error(result.Reason)
			}
		})
	}
}
