package simulation

import "slices"

// Simulate is simulate, for tests with the reference of all steps, which imports this
// package.
var Simulate = simulate

// AllFaults returns the faults of all kinds.
func AllFaults() []fault { return slices.Concat(breaks, responses, silences) }
