package judge

import (
	"runtime"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/record"
)

// waitsAt names the position in the solution at which a goroutine of a bubble waits, as
// ": it waits in Pop (queue.go:12)". It returns "" if no goroutine is in the solution.
func waitsAt() string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var inBubble []string
	// The first goroutine is the one that calls waitsAt.
	for _, goroutine := range strings.Split(string(stacks), "\n\n")[1:] {
		if header, _, _ := strings.Cut(goroutine, "\n"); strings.Contains(header, "synctest bubble") {
			inBubble = append(inBubble, goroutine)
		}
	}
	if at := record.PositionIn(inBubble...); at != "" {
		return ": it waits in " + at
	}
	return ""
}

// panickedAt names the position in the solution at which the current goroutine panics.
func panickedAt() string {
	stacks := make([]byte, 64<<10)
	if at := record.PositionIn(string(stacks[:runtime.Stack(stacks, false)])); at != "" {
		return " in " + at
	}
	return ""
}
