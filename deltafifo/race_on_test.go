//go:build race

package deltafifo

const raceEnabled = true
