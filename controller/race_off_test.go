//go:build !race

package controller

// RaceEnabled is for the tests of both packages.
const RaceEnabled = false
