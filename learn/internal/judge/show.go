package judge

import (
	"errors"
	"testing"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Show calls run in a bubble, as a check: time is fake, so that the run of a chapter
// prints the same times at each call. It returns the failure of t.
func Show(run func(t *T)) error {
	// The new T is only the frame of the bubble. No test of it is reported.
	result := Run(new(testing.T), Check{Run: func(t *T, _ stack.Parts) { run(t) }}, stack.Parts{})
	if result.Reason != "" {
		return errors.New(result.Reason)
	}
	return nil
}
