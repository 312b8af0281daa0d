//go:build !race

package deltafifo

const raceEnabled = false
