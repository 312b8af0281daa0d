// Package listwatch judges step 4: a list, and then a watch from its version.
//
// A solution receives a client and a decoder, and returns a ListerWatcher for ConfigMaps.
// The checks verify that a list is complete and has the version of its state, that a watch
// from this version misses no change, and that Stop and the contexts end it at once.
package listwatch

import "github.com/thinformer/thinformer/learn/internal/judge"

// Step is step 4.
var Step = judge.Step{
	Number:    4,
	Name:      "listwatch",
	Short:     true,
	Functions: []string{"NewListerWatcher"},
	Checks: []judge.Check{
		{Name: "a list has all objects and the version of the list", Run: checkList},
		{Name: "a change between the list and the watch arrives", Run: checkBetween},
		{Name: "list and watch see one namespace", Run: checkNamespace},
		{Name: "the options of the caller are sent", Run: checkOptions},
		{Name: "a long list is read in pages", Run: checkPages},
		{Name: "a list whose token has expired begins again", Run: checkExpiredToken},
		{Name: "an error of a page is the error of the list", Run: checkPageError},
		{Name: "the watch asks for bookmarks", Run: checkBookmarks},
		{Name: "a refused watch is an error", Run: checkRefused},
		{Name: "each watch has one decoder", Run: checkDecoder},
		{Name: "an error of the decoder ends the watch", Run: checkDecoderError},
		{Name: "Stop ends a Next that waits", Run: checkStop},
		{Name: "a context ends a Next that waits", Run: checkWatchContext},
		{Name: "the context ends a request", Run: checkRequestContext},
	},
	Show: show,
}
