package simulation

import (
	"testing"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
	reference "github.com/thinformer/thinformer/learn/internal/steps/simulation/reference"
)

func TestReference(t *testing.T) {
	judge.Test(t, Step, stack.Parts{NewChecker: reference.NewChecker})
}
