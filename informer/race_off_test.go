//go:build !race

package informer

const raceEnabled = false
