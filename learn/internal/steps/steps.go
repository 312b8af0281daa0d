// Package steps lists the steps of the course, each with its reference.
//
// The package of a step, such as steps/chunks, has the checks that judge a solution and
// the run that the chapter shows. Below it are the reference, the skeleton that a
// learner begins with, and in testdata/wrong typical wrong solutions.
package steps

import (
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/reference"
	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/learn/internal/steps/chunks"
	"github.com/thinformer/thinformer/learn/internal/steps/client"
	"github.com/thinformer/thinformer/learn/internal/steps/deltafifo"
	"github.com/thinformer/thinformer/learn/internal/steps/frames"
	"github.com/thinformer/thinformer/learn/internal/steps/indexer"
	"github.com/thinformer/thinformer/learn/internal/steps/informer"
	"github.com/thinformer/thinformer/learn/internal/steps/listwatch"
	"github.com/thinformer/thinformer/learn/internal/steps/reconcile"
	"github.com/thinformer/thinformer/learn/internal/steps/reflector"
	"github.com/thinformer/thinformer/learn/internal/steps/resume"
	"github.com/thinformer/thinformer/learn/internal/steps/simulation"
	"github.com/thinformer/thinformer/learn/internal/steps/workqueue"
)

// All has the steps in their order. Step 0, the map, has nothing to write.
var All = []judge.Step{
	chunks.Step,
	client.Step,
	frames.Step,
	listwatch.Step,
	resume.Step,
	reflector.Step,
	deltafifo.Step,
	indexer.Step,
	informer.Step,
	workqueue.Step,
	reconcile.Step,
	simulation.Step,
}

// Reference returns the parts of the reference.
func Reference() stack.Parts { return reference.Parts() }
