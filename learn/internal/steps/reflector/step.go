// Package reflector judges step 6: a store that is kept up to date.
//
// A solution receives a source, a store and a Follower, and returns a Reflector. The checks
// script the responses of the source. They verify that a state, listed or streamed, reaches
// the store only when it is complete, and that an expired version leads to a new list.
package reflector

import "github.com/thinformer/thinformer/learn/internal/judge"

// Step is step 6.
var Step = judge.Step{
	Number:    6,
	Name:      "reflector",
	Functions: []string{"NewReflector"},
	Checks: []judge.Check{
		{Name: "the store has the list before the watch begins", Run: checkList},
		{Name: "each list asks for the newest state", Run: checkNewest},
		{Name: "an incomplete list leaves the store as it is", Run: checkIncomplete},
		{Name: "failed lists wait longer each time", Run: checkFailedLists},
		{Name: "an expired version leads to a new list", Run: checkExpired},
		{Name: "a watch without progress waits before the list", Run: checkNoProgress},
		{Name: "progress resets the back-off", Run: checkProgress},
		{Name: "an error of Replace leads to another list", Run: checkReplaceError},
		{Name: "LastVersion is what the store has received", Run: checkLastVersion},
		{Name: "a streamed list asks for the mark", Run: checkStreamOptions},
		{Name: "a streamed list is visible after the mark", Run: checkStream},
		{Name: "changes before the mark belong to the streamed list", Run: checkStreamChanges},
		{Name: "another bookmark is not the mark", Run: checkOtherBookmark},
		{Name: "a mark that never comes leads to a list", Run: checkNoMark},
		{Name: "a stream that ends before the mark leads to a list", Run: checkStreamEnds},
		{Name: "a server that refuses streamed lists is listed", Run: checkRefused},
		{Name: "the watch of a streamed list is stopped", Run: checkStreamStopped},
		{Name: "the context ends every wait", Run: checkContext},
		{Name: "after an outage with a 410 the store is that of the server", Run: checkServer},
	},
	Show: show,
}
