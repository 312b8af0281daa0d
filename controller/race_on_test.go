//go:build race

package controller

// RaceEnabled reports whether the race detector is enabled. It is exported for the
// tests of package controller_test.
const RaceEnabled = true
