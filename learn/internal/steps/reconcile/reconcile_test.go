package reconcile

import (
	"testing"

	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
	chunks "github.com/thinformer/thinformer/learn/internal/steps/chunks/reference"
	client "github.com/thinformer/thinformer/learn/internal/steps/client/reference"
	indexer "github.com/thinformer/thinformer/learn/internal/steps/indexer/reference"
	reference "github.com/thinformer/thinformer/learn/internal/steps/reconcile/reference"
)

func TestReference(t *testing.T) {
	judge.Test(t, Step, stack.Parts{
		NewTransport: chunks.NewTransport, NewClient: client.NewClient,
		NewIndexer: indexer.NewIndexer, NewReconciler: reference.NewReconciler,
	})
}
