package deltafifo

import (
	"testing"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
	reference "github.com/thinformer/thinformer/learn/internal/steps/deltafifo/reference"
)

func Test(t *testing.T) { judge.Test(t, Step, stack.Parts{NewQueue: reference.NewQueue}) }
