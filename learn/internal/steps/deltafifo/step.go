// Package deltafifo judges step 7: the queue of changes between a reflector and the loop
// of an informer.
//
// A solution receives the objects that have been processed, and returns a queue. The checks
// write changes and Pop them. They verify that the changes of a key come together and in
// order, that deletions are found by Replace, and that no key is handed out twice at once.
package deltafifo

import "github.com/thinformer/thinformer/learn/internal/judge"

// Step is step 7.
var Step = judge.Step{
	Number:    7,
	Name:      "deltafifo",
	Short:     true,
	Functions: []string{"NewQueue"},
	Checks: []judge.Check{
		{Name: "the changes of a key come together, oldest first", Run: checkTogether},
		{Name: "Pop ends with its context and with Close", Run: checkEnd},
		{Name: "keys come in the order of their oldest change", Run: checkOrder},
		{Name: "delete and create of one name stay two changes", Run: checkDeleteAndCreate},
		{Name: "another UID deletes the known object first", Run: checkAnotherUID},
		{Name: "a delete of an unknown object adds nothing", Run: checkUnknown},
		{Name: "writes do not wait for process", Run: checkWrites},
		{Name: "a key is not handed out while it is processed", Run: checkBusy},
		{Name: "the change that is being processed counts as known", Run: checkBusyIsKnown},
		{Name: "Replace deletes the known objects that are missing", Run: checkReplace},
		{Name: "a Replace that fails changes nothing", Run: checkFailedReplace},
		{Name: "every write wakes a waiting Pop", Run: checkWake},
		{Name: "an error of process is returned and ends the processing", Run: checkError},
		{Name: "initial marks the changes of the first Replace", Run: checkInitial},
		{Name: "HasSynced waits until the first Replace is processed", Run: checkSynced},
		{Name: "all methods can be called at the same time", Run: checkConcurrent},
	},
	Show: show,
}
