// Package machinetest runs the transcripts of a state machine in fake time.
//
// A transcript is a file of package datadriven with two commands:
//
//	new     creates a machine; its arguments are those of the package under test
//	play    passes one input per line to the machine; +10s before an input, or
//	        alone, advances the clock
package machinetest

import (
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

// Machine is a state machine with a clock.
type Machine interface {
	// Advance advances the clock.
	Advance(d time.Duration)
	// Input passes an input to the machine.
	Input(t *testing.T, line string)
	// Output returns what the inputs since the last call of Output have caused.
	Output() string
}

// Run runs the transcripts in testdata. With the flag -rewrite it writes the
// results to the files. create returns the machine for the command new.
func Run(t *testing.T, create func(t *testing.T, d *datadriven.TestData) Machine) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var m Machine
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "new":
				m = create(t, d)
				return ""
			case "play":
				play(t, m, d.Input)
				return m.Output()
			}
			t.Fatalf("unknown command %q: want new or play", d.Cmd)
			return ""
		})
	})
}

func play(t *testing.T, m Machine, script string) {
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if wait, ok := strings.CutPrefix(line, "+"); ok {
			var duration string
			duration, line, _ = strings.Cut(wait, " ")
			d, err := time.ParseDuration(duration)
			if err != nil {
				t.Fatal(err)
			}
			m.Advance(d)
		}
		if line = strings.TrimSpace(line); line != "" {
			m.Input(t, line)
		}
	}
}
