// Package reference has the parts of the reference. A run of a chapter uses them as the
// checks do, and cannot import package steps, which imports the run.
package reference

import (
	"github.com/thinformer/thinformer/learn/internal/stack"
	chunksref "github.com/thinformer/thinformer/learn/internal/steps/chunks/reference"
	clientref "github.com/thinformer/thinformer/learn/internal/steps/client/reference"
	deltafiforef "github.com/thinformer/thinformer/learn/internal/steps/deltafifo/reference"
	framesref "github.com/thinformer/thinformer/learn/internal/steps/frames/reference"
	indexerref "github.com/thinformer/thinformer/learn/internal/steps/indexer/reference"
	informerref "github.com/thinformer/thinformer/learn/internal/steps/informer/reference"
	listwatchref "github.com/thinformer/thinformer/learn/internal/steps/listwatch/reference"
	reconcileref "github.com/thinformer/thinformer/learn/internal/steps/reconcile/reference"
	reflectorref "github.com/thinformer/thinformer/learn/internal/steps/reflector/reference"
	resumeref "github.com/thinformer/thinformer/learn/internal/steps/resume/reference"
	simulationref "github.com/thinformer/thinformer/learn/internal/steps/simulation/reference"
	workqueueref "github.com/thinformer/thinformer/learn/internal/steps/workqueue/reference"
)

// Parts returns the parts of all steps.
func Parts() stack.Parts {
	return stack.Parts{
		NewTransport:     chunksref.NewTransport,
		NewClient:        clientref.NewClient,
		NewDecoder:       framesref.NewDecoder,
		NewListerWatcher: listwatchref.NewListerWatcher,
		NewFollower:      resumeref.NewFollower,
		NewBackoff:       resumeref.NewBackoff,
		NewReflector:     reflectorref.NewReflector,
		NewQueue:         deltafiforef.NewQueue,
		NewIndexer:       indexerref.NewIndexer,
		NewInformer:      informerref.NewInformer,
		NewWorkQueue:     workqueueref.NewWorkQueue,
		NewReconciler:    reconcileref.NewReconciler,
		NewChecker:       simulationref.NewChecker,
	}
}
