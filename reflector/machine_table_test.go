package reflector

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/listwatch"
)

// The table at the top of machine.go has exactly the transitions of the machine.
// The transcripts and the fuzzer check their transitions, too: see
// requireDocumented.
func TestTransitionTable(t *testing.T) {
	table, err := documentedTransitions()
	require.NoError(t, err)
	require.Equal(t, table.String(), exploredTransitions().String())
}

// transitions maps a stage with an input, as transitionKey returns it, to the
// stages that can follow.
type transitions map[string]map[string]bool

func (t transitions) add(key, next string) {
	if t[key] == nil {
		t[key] = map[string]bool{}
	}
	t[key][next] = true
}

// stages returns the stages that have transitions.
func (t transitions) stages() []string {
	stages := map[string]bool{}
	for key := range t {
		stage, _, _ := strings.Cut(key, ": ")
		stages[stage] = true
	}
	return slices.Sorted(maps.Keys(stages))
}

// String returns a line for each key, in alphabetical order.
func (t transitions) String() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(t)) {
		fmt.Fprintf(&b, "%s -> %s\n", key, strings.Join(slices.Sorted(maps.Keys(t[key])), ", "))
	}
	return b.String()
}

// stageLabel returns the stage of a machine as the table names it.
func stageLabel(m *machine) string {
	switch {
	case m.initial.complete && (m.stage == stageStreaming || m.stage == stageListing):
		return m.stage.String() + " complete"
	case m.stage == stageWaiting:
		return "waiting for " + m.pause.next.String()
	}
	return m.stage.String()
}

func transitionKey(stage string, in input) string {
	if in.kind == inputFailed {
		return stage + ": failed: " + string(in.failure.reason)
	}
	return stage + ": " + inputNames[in.kind]
}

// canOccur reports whether a Reflector can pass a failure to a machine in a
// stage. Some reasons are detected by the machine itself, and the store fails
// only where it is called.
func canOccur(stage string, reason Reason) bool {
	complete := strings.HasSuffix(stage, " complete")
	switch reason {
	case ReasonVersionWentBack, ReasonNoInitialEventsEnd:
		return false
	case ReasonStoreFailed:
		return complete || stage == stageWatching.String()
	}
	return !complete
}

// requireDocumented fails the test if the table does not have the transition.
func requireDocumented(t *testing.T, before *machine, in input, after *machine) {
	stage, next := stageLabel(before), stageLabel(after)
	if in.kind == inputFailed && !canOccur(stage, in.failure.reason) {
		return
	}
	table, err := documentedTransitions()
	require.NoError(t, err)
	key := transitionKey(stage, in)
	require.True(t, table[key][next], "the table in machine.go does not have %q -> %q", key, next)
}

// exploredTransitions returns the transitions of machines that receive random
// inputs which their stage accepts.
func exploredTransitions() transitions {
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	found := transitions{}
	for range 4000 {
		p := newPlayer()
		p.m.preferList = random.IntN(2) == 0
		p.m.order.declared = listwatch.VersionOrder(random.IntN(3))
		for version := range 100 {
			in := acceptedInput(random, p)
			if random.IntN(4) > 0 {
				in.version = fmt.Sprint(1000 + version)
			}
			before := stageLabel(&p.m)
			if in.kind == inputFailed && !canOccur(before, in.failure.reason) {
				continue
			}
			if p.m.stage == stageChecking { // random inputs rarely fail five checks in a row
				p.m.check.failed = random.IntN(maxFailedChecks)
			}
			p.m.step(in)
			found.add(transitionKey(before, in), stageLabel(&p.m))
		}
	}
	return found
}

// acceptedInput returns a random input that the stage of the machine accepts.
func acceptedInput(random *rand.Rand, p *player) input {
	for {
		in, wait := inputOf([]byte{byte(random.IntN(256)), byte(random.IntN(256)), byte(random.IntN(256))})
		if in.kind == inputStop && random.IntN(50) > 0 || !expects(p.m, in) {
			continue
		}
		p.now = p.now.Add(wait)
		in.at = p.now
		return in
	}
}

// documentedTransitions returns the transitions of the table in machine.go.
var documentedTransitions = sync.OnceValues(func() (transitions, error) {
	source, err := os.ReadFile("machine.go")
	if err != nil {
		return nil, err
	}
	_, text, _ := strings.Cut(string(source), "//\t---")
	text, _, found := strings.Cut(text, "\n//\n")
	if !found {
		return nil, errors.New("machine.go has no table of transitions")
	}
	table, listed := transitions{}, map[string]bool{}
	var stages, inputs []string
	for _, line := range strings.Split(text, "\n")[1:] {
		cells := strings.Split(strings.TrimPrefix(line, "//\t"), "|")
		if len(cells) != 4 {
			return nil, fmt.Errorf("a row of the table has %d columns instead of 4: %q", len(cells), line)
		}
		stage, input, next := strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])
		switch {
		case stage == "any":
			stages = table.stages()
		case stage != "":
			stages = strings.Split(stage, ", ")
		}
		if input != "" {
			inputs = keysOf(stages, input, listed)
		}
		if next != "" {
			for _, key := range inputs {
				table.add(key, next)
			}
		}
	}
	return table, nil
})

// keysOf returns the keys of a row: one for each stage and input, and for a
// failure one for each reason. "any other" means the reasons that have no key
// yet; listed has the others.
func keysOf(stages []string, input string, listed map[string]bool) (keys []string) {
	kind, list, failed := strings.Cut(input, ": ")
	for _, stage := range stages {
		if !failed {
			for _, name := range strings.Split(input, ", ") {
				keys = append(keys, stage+": "+name)
			}
			continue
		}
		reasons := strings.Split(list, ", ")
		if list == "any other" {
			reasons = nil
			for _, reason := range fuzzReasons {
				if canOccur(stage, reason) && !listed[stage+": "+string(reason)] {
					reasons = append(reasons, string(reason))
				}
			}
		}
		for _, reason := range reasons {
			listed[stage+": "+reason] = true
			keys = append(keys, fmt.Sprintf("%s: %s: %s", stage, kind, reason))
		}
	}
	return keys
}
