// Package workqueue judges step 10: the queue of the keys that a controller works on.
//
// A solution receives the limits of the back-off, and returns a queue. The checks are its
// handlers and workers. They verify that a key is with one worker at a time, that no Add
// is lost, and how long a key is delayed after a failure.
package workqueue

import "github.com/thinformer/thinformer/learn/internal/judge"

// Step is step 10.
var Step = judge.Step{
	Number:    10,
	Name:      "workqueue",
	Short:     true,
	Functions: []string{"NewWorkQueue"},
	Checks: []judge.Check{
		{Name: "keys come in the order of their first Add", Run: checkOrder},
		{Name: "a waiting key waits once", Run: checkOnce},
		{Name: "Get waits for a key", Run: checkWait},
		{Name: "a Get that finds no key waits again", Run: checkTaken},
		{Name: "a key is with one worker at a time", Run: checkProcessed},
		{Name: "a key added while it is processed comes again after Done", Run: checkAgain},
		{Name: "Done of a key that is not processed does nothing", Run: checkDone},
		{Name: "Len counts the waiting keys", Run: checkLen},
		{Name: "the time of AddRateLimited doubles up to the limit", Run: checkTimes},
		{Name: "Forget makes the next time the shortest one", Run: checkForget},
		{Name: "of two delays the first to end counts", Run: checkTwoDelays},
		{Name: "Add and Forget do not end a delay", Run: checkAddDelayed},
		{Name: "a delay that ends while the key is processed waits for Done", Run: checkDelayProcessed},
		{Name: "ShutDown wakes every Get", Run: checkShutDownWakes},
		{Name: "after ShutDown the waiting keys still come", Run: checkShutDownLeft},
		{Name: "after ShutDown nothing is added", Run: checkShutDownAdds},
		{Name: "many workers lose no Add", Run: checkWorkers},
	},
	Show: show,
}
