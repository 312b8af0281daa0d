package judge

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Limit is the real time that a check may take.
const Limit = 5 * time.Second

// Main runs the checks of a step, from the one with the number in the flag -from on. It
// prints the results to the standard output, and what the solution prints to the
// standard error.
func Main(step Step, parts stack.Parts) {
	results := json.NewEncoder(os.Stdout)
	os.Stdout = os.Stderr
	report := func(result Result) {
		if err := results.Encode(result); err != nil {
			fmt.Fprintln(os.Stderr, "report a result:", err)
			os.Exit(1)
		}
	}

	testing.Init()
	from := flag.Int("from", 0, "`number` of the first check")
	flag.Parse()
	for _, check := range step.Checks[min(*from, len(step.Checks)):] {
		report(Result{Check: check.Name, Begun: true})
		// The timer is outside of the bubble: its time is real.
		limit := time.AfterFunc(Limit, func() {
			reason := fmt.Sprintf("the check does not end within %v%s", Limit, endlessAt())
			report(Result{Check: check.Name, Reason: reason})
			os.Exit(1)
		})
		var result Result
		runAsTest(check.Name, func(t *testing.T) { result = Run(t, check, parts) })
		limit.Stop()
		report(result)
	}
}

// endlessAt says where a solution loops or waits for a mutex.
func endlessAt() string {
	at := waitsAt()
	if at == "" {
		return ": a loop without end, or a mutex that is not unlocked"
	}
	return strings.Replace(at, "it waits in", "a loop without end, or a mutex that is not unlocked, in", 1)
}

// runAsTest calls f with a testing.T, which a bubble requires.
func runAsTest(name string, f func(t *testing.T)) {
	all := func(string, string) (bool, error) { return true, nil }
	testing.RunTests(all, []testing.InternalTest{{Name: name, F: f}})
}
