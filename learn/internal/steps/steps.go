// Package steps lists the steps of the course, each with its reference.
//
// The package of a step, such as steps/chunks, has the checks that judge a solution and
// the run that the chapter shows. Below it are the reference, the skeleton that a
// learner begins with, and in testdata/wrong typical wrong solutions.
package steps

import (
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/learn/internal/steps/chunks"
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

// All has the steps in their order. Step 0, the map, has nothing to write.
var All = []judge.Step{
	chunks.Step,
}

// Reference returns the parts of the reference.
func Reference() stack.Parts {
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
