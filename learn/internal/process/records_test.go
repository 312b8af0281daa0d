package process

import (
	"fmt"
	"strings"
	"testing"
)

// A solution can print the mark of a record and anything after it.
func TestARecordWithoutEndIsOutput(t *testing.T) {
	var outcomes []string
	r := &records{ended: func(o Outcome) { outcomes = append(outcomes, o.Check) }}
	const begun, ended = "\x1e{\"check\":\"one\",\"begun\":true}\n", "\x1e{\"check\":\"one\"}\n"
	long := strings.Repeat("x", 1<<20)
	fmt.Fprint(r, begun, "\x1e")
	for range 20 {
		fmt.Fprint(r, long)
		if kept := len(r.partial) + len(r.output.first) + len(r.output.last); kept > 3*longestRecord {
			t.Fatalf("%d bytes are kept", kept)
		}
	}
	fmt.Fprint(r, ended)
	if len(outcomes) != 1 {
		t.Errorf("the outcomes are %q, want that of check one", outcomes)
	}
}
