package workqueue

import (
	"testing"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
	reference "github.com/thinformer/thinformer/learn/internal/steps/workqueue/reference"
)

func TestReference(t *testing.T) {
	judge.Test(t, Step, stack.Parts{NewWorkQueue: reference.NewWorkQueue})
}
