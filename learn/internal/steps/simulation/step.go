// Package simulation judges step 12: a checker of histories, and all parts of the course
// against a server with random faults.
//
// A solution returns a checker. The first checks pass it histories of handler calls, legal
// and illegal, and verify which it rejects. The others run all parts against a server, and
// verify that they agree with it after the faults; a seed repeats a run.
package simulation

import "github.com/thinformer/thinformer/learn/internal/judge"

// Step is step 12.
var Step = judge.Step{
	Number:    12,
	Name:      "simulation",
	Functions: []string{"NewChecker"},
	Checks: []judge.Check{
		{Name: "a legal history is accepted", Run: checkLegal},
		{Name: "an add of a known key is found", Run: checkAddKnown},
		{Name: "an update or a delete of an unknown key is found", Run: checkUnknown},
		{Name: "an update from another version than the last is found", Run: checkOld},
		{Name: "a version that goes back is found", Run: checkBack},
		{Name: "an object with another uid is found", Run: checkUID},
		{Name: "an incomplete call is found", Run: checkIncomplete},
		{Name: "an error names the key", Run: checkNames},
		{Name: "Compare accepts the objects of the server", Run: checkCompareEqual},
		{Name: "Compare finds each difference", Run: checkCompareDifferent},
		{Name: "simulation without faults", Run: checkFaults(1)},
		{Name: "simulation with broken connections", Run: checkFaults(11, breaks)},
		{Name: "simulation with error responses", Run: checkFaults(21, responses)},
		{Name: "simulation with silence and missing marks", Run: checkFaults(31, silences)},
		{Name: "simulation with all faults", Run: checkFaults(41, breaks, responses, silences)},
	},
	Show: show,
}
