package indexer

import (
	"testing"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
	reference "github.com/thinformer/thinformer/learn/internal/steps/indexer/reference"
)

func Test(t *testing.T) { judge.Test(t, Step, stack.Parts{NewIndexer: reference.NewIndexer}) }
