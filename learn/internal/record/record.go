// Package record has what a program of package judge prints for the command of the course.
// Both know it, so that the command does not link the checks and the API server.
//
// The program writes each [Result] as a line of JSON after a [Mark], between lines that the
// solution prints. [PositionIn] finds the line of the learner's code in a stack dump.
package record

// Mark begins a line of the standard output that is a Result, as in RFC 7464. Other
// output is that of the solution.
const Mark = '\x1e'

// Result is the outcome of a check. A check that has begun and has no outcome ended the
// process.
type Result struct {
	Check string `json:"check"`
	Begun bool   `json:"begun,omitempty"`
	// Reason says what was done, what was expected and what came. It is empty for a
	// check that has passed.
	Reason string `json:"reason,omitempty"`
	// Endless reports that the check has exceeded its limit of time.
	Endless bool `json:"endless,omitempty"`
}
