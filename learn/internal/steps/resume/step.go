// Package resume judges step 5: going on with a watch after a break.
//
// A solution receives a watcher, a store and a back-off, and returns a Follower; it also
// provides the back-off. The checks end watches in scripted ways. They verify that each
// event reaches the store, how long the pauses are, and which failures are returned.
package resume

import "github.com/thinformer/thinformer/learn/internal/judge"

// Step is step 5.
var Step = judge.Step{
	Number:    5,
	Name:      "resume",
	Short:     true,
	Functions: []string{"NewFollower", "NewBackoff"},
	Checks: []judge.Check{
		{Name: "each event reaches the store", Run: checkEvents},
		{Name: "a watch that ends is opened again at the last version", Run: checkEnd},
		{Name: "a bookmark moves the version", Run: checkBookmark},
		{Name: "a watch without an event is opened again at the same version", Run: checkQuietEnd},
		{Name: "a watch that ends at once is a failure", Run: checkShort},
		{Name: "a broken connection waits and goes on", Run: checkBroken},
		{Name: "refused connections wait longer each time", Run: checkRefused},
		{Name: "an event resets the back-off", Run: checkReset},
		{Name: "silence ends a watch", Run: checkSilence},
		{Name: "silence before the response ends a request", Run: checkSilentRequest},
		{Name: "an event ends the silence", Run: checkNoSilence},
		{Name: "an expired version is returned", Run: checkExpired},
		{Name: "a rejected watch is returned", Run: checkRejected},
		{Name: "a server that fails or is busy is asked again", Run: checkServerError},
		{Name: "an error of the store is returned", Run: checkStoreError},
		{Name: "the context ends every wait", Run: checkContext},
		{Name: "a watch is stopped before the next one", Run: checkStopped},
		{Name: "the times double up to the limit", Run: checkTimes},
		{Name: "the times are random", Run: checkRandom},
		{Name: "Reset makes the next time the shortest one", Run: checkBackoffReset},
	},
	Show: show,
}
