// Package informer judges step 9: the loop of a shared informer and its handlers.
//
// A solution receives a queue and an indexer, and returns an informer. The checks add
// changes and handlers, some of which block or are late. They verify that each handler
// receives every change once and in order, and that no handler delays anything else.
package informer

import "github.com/thinformer/thinformer/learn/internal/judge"

// Step is step 9.
var Step = judge.Step{
	Number:    9,
	Name:      "informer",
	Functions: []string{"NewInformer"},
	Checks: []judge.Check{
		{Name: "each change reaches the indexer, then each handler", Run: checkChanges},
		{Name: "a handler that blocks delays nothing else", Run: checkBlocked},
		{Name: "AddEventHandler does not wait for the handler", Run: checkAdd},
		{Name: "the calls of a handler come in order, one at a time", Run: checkOrder},
		{Name: "the indexer decides between OnAdd and OnUpdate", Run: checkCalls},
		{Name: "OnDelete passes on the object and the flag of the change", Run: checkDelete},
		{Name: "isInInitialList marks present objects and the first list", Run: checkInitial},
		{Name: "the indexer has a change when process returns", Run: checkProcess},
		{Name: "HasSynced waits for the first list", Run: checkSynced},
		{Name: "the loop goes on after an error of Pop", Run: checkPopError},
		{Name: "a late handler receives every object and no change twice", Run: checkLate},
		{Name: "Run ends with reflect and returns its error", Run: checkRun},
		{Name: "Run waits for reflect and for running handlers", Run: checkEnd},
	},
	Show: show,
}
