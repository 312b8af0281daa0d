package simulation

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/reference"
	"github.com/thinformer/thinformer/learn/internal/stack"
)

// shownSeed is the seed of the run in the chapter.
const shownSeed = 45

// show prints how a checker sees a lost deletion, and the faults of a simulation.
func show(w io.Writer) error {
	parts := reference.Parts()
	checker := parts.NewChecker()
	for _, call := range []stack.Call{
		initial("shop/a 1 8"), update("shop/a 1 8", "shop/a 1 10"),
		// The deletion of uid 1 is missing here.
		add("shop/a 2 12"),
	} {
		fmt.Fprintf(w, "%s\n    %v\n", callText(call), result(checker.Observe(call)))
	}
	fmt.Fprintf(w, "Compare with the server, which has nothing\n    %v\n\n", result(checker.Compare(nil)))

	return judge.Show(func(t *judge.T) {
		s := newSimulation(t, parts, shownSeed, slices.Concat(breaks, responses, silences))
		s.simulate()
		shown := 0
		for _, line := range s.log {
			if !strings.Contains(line, "write: ") && shown < 12 {
				shown++
				fmt.Fprintln(w, line)
			}
		}
		fmt.Fprintf(w, "...\nat rest: %d objects in the indexer, as on the server; %d legal histories\n", len(s.program.Indexer.List()), len(s.handlers))
	})
}

// result returns an error, or "ok".
func result(err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return "ok"
}
