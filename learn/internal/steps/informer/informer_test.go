package informer

import (
	"testing"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
	queue "github.com/thinformer/thinformer/learn/internal/steps/deltafifo/reference"
	indexer "github.com/thinformer/thinformer/learn/internal/steps/indexer/reference"
	reference "github.com/thinformer/thinformer/learn/internal/steps/informer/reference"
)

func Test(t *testing.T) {
	judge.Test(t, Step, stack.Parts{NewQueue: queue.NewQueue, NewIndexer: indexer.NewIndexer, NewInformer: reference.NewInformer})
}
