package judge

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/thinformer/thinformer/learn/internal/record"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// Limits of a check.
const (
	timeLimit   = 5 * time.Second // of real time
	memoryLimit = 1 << 30
	stackLimit  = 64 << 20
)

// seed is the flag -seed of Main.
var seed uint64

// Main runs the checks of a step, from the one with the number in the flag -from on. It
// prints each Result as a line of JSON after a record.Mark.
func Main(step Step, parts stack.Parts) {
	testing.Init()
	from := flag.Int("from", 0, "`number` of the first check")
	limit := flag.Duration("limit", timeLimit, "real time of a check")
	flag.Uint64Var(&seed, "seed", 0, "seed of random checks; 0 selects that of the check")
	flag.Parse()
	debug.SetMaxStack(stackLimit)

	r := &reporter{to: os.Stdout, limit: *limit}
	go r.watchMemory()
	var tests []testing.InternalTest
	for _, check := range step.Checks[min(*from, len(step.Checks)):] {
		tests = append(tests, testing.InternalTest{Name: check.Name, F: func(t *testing.T) { r.run(t, check, parts) }})
	}
	// A bubble requires a testing.T, which only the function main of a test creates.
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, tests, nil, nil)
}

// run runs a check and reports its result.
func (r *reporter) run(t *testing.T, check Check, parts stack.Parts) {
	r.begin(check.Name)
	// The timer is outside of the bubble: its time is real.
	timer := time.AfterFunc(r.limit, func() {
		r.exit(record.Result{Reason: fmt.Sprintf("the check does not end within %v%s", r.limit, endless()), Endless: true})
	})
	result := Run(t, check, parts)
	timer.Stop()
	r.end(result)
}

// reporter prints the results.
type reporter struct {
	to    io.Writer
	limit time.Duration // of a check

	mu    sync.Mutex
	check string // the present one, "" between two
}

func (r *reporter) begin(check string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.check = check
	r.print(record.Result{Check: check, Begun: true})
}

func (r *reporter) end(result record.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.check = ""
	r.print(result)
}

// exit reports that the present check has failed, and ends the process: the solution
// cannot be stopped otherwise.
func (r *reporter) exit(result record.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if result.Check = r.check; r.check != "" {
		r.print(result)
		os.Exit(1)
	}
}

// print writes a record with one call, so that other output does not divide it.
func (r *reporter) print(result record.Result) {
	text, err := json.Marshal(result)
	if err == nil {
		_, err = r.to.Write([]byte(string(record.Mark) + string(text) + "\n"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "report a result:", err)
		os.Exit(1)
	}
}

// watchMemory ends the process if its memory exceeds the limit. A limit of the runtime
// would only make the garbage collector run more often.
func (r *reporter) watchMemory() {
	const total, released = "/memory/classes/total:bytes", "/memory/classes/heap/released:bytes"
	samples := []metrics.Sample{{Name: total}, {Name: released}}
	for range time.Tick(20 * time.Millisecond) {
		metrics.Read(samples)
		if samples[0].Value.Uint64()-samples[1].Value.Uint64() > memoryLimit {
			reason := fmt.Sprintf("the solution uses more than %d MB of memory", memoryLimit>>20)
			if at := runsAt(); at != "" {
				reason += "; it runs in " + at
			}
			r.exit(record.Result{Reason: reason})
		}
	}
}

// endless says that a solution loops or waits for a mutex, and where.
func endless() string {
	reason := ": a loop without end, or a mutex that is not unlocked"
	if at := runsAt(); at != "" {
		reason += ", in " + at
	}
	return reason
}

// runsAt names the position at which a solution runs or waits. At times the stack of a
// goroutine that runs is not available.
func runsAt() string {
	for range 20 {
		if at, found := strings.CutPrefix(waitsAt(), ": it waits in "); found {
			return at
		}
		time.Sleep(time.Millisecond)
	}
	return ""
}
