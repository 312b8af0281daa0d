package simulation_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/learn/internal/steps"
	"github.com/thinformer/thinformer/learn/internal/steps/simulation"
)

var (
	firstSeed = flag.Uint64("from", 1000, "first seed of TestSeeds")
	seedCount = flag.Uint64("seeds", 5, "number of seeds of TestSeeds")
)

// The reference passes with other seeds than those of the checks. More of them:
//
//	go test ./learn/internal/steps/simulation -run Seeds -seeds 2000
func TestSeeds(t *testing.T) {
	faults := simulation.AllFaults()
	for seed := *firstSeed; seed < *firstSeed+*seedCount; seed++ {
		result := judge.Run(t, judge.Check{Name: fmt.Sprint(seed), Run: func(t *judge.T, parts stack.Parts) {
			simulation.Simulate(t, parts, seed, faults)
		}}, steps.Reference())
		if result.Reason != "" {
			t.Error(result.Reason)
		}
	}
}
