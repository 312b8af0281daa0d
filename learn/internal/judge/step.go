package judge

import (
	"io"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Step is a step of the course.
type Step struct {
	Number int
	// Name is the name of the step's package: "chunks".
	Name string
	// Short reports whether the step belongs to the short path.
	Short bool
	// Functions are the fields of stack.Parts that the solution has as functions.
	Functions []string
	// Checks are in the order of the chapter's table.
	Checks []Check
	// Show prints the run of the chapter. Its output is the same at each call.
	Show func(w io.Writer) error
}

// Check is one promise of a step.
type Check struct {
	// Name states the promise in the words of the chapter: "a chunk size is hexadecimal".
	Name string
	Run  func(t *T, parts stack.Parts)
}
