// Package reconcile judges step 11: the Reconcile of a controller.
//
// A solution receives a cache and a client, and returns a Reconciler. The checks call it
// with caches that are older than the server. They verify that the pages become those of
// the sites, and that no request changes an object that belongs to another owner.
package reconcile

import "github.com/thinformer/thinformer/learn/internal/judge"

// Step is step 11.
var Step = judge.Step{
	Number:    11,
	Name:      "reconcile",
	Functions: []string{"NewReconciler"},
	Checks: []judge.Check{
		{Name: "a site without a page gets one", Run: checkCreate},
		{Name: "an object that is not a site gets no page", Run: checkNoSite},
		{Name: "a page that is right costs no request", Run: checkRight},
		{Name: "a page that differs is updated", Run: checkUpdate},
		{Name: "the other labels and annotations of a page stay", Run: checkKeeps},
		{Name: "cached objects are not modified", Run: checkCached},
		{Name: "the page of a deleted site is deleted", Run: checkDelete},
		{Name: "a page that is already deleted is no error", Run: checkDeleted},
		{Name: "an object that is not a page is left alone", Run: checkForeign},
		{Name: "a create after a stale read is no error", Run: checkStaleCreate},
		{Name: "a page that a stale cache lacks is updated", Run: checkStaleUpdate},
		{Name: "an object that a stale cache lacks is left alone", Run: checkStaleForeign},
		{Name: "an update does not undo a change that the cache lacks", Run: checkConflict},
		{Name: "a delete does not delete a newer page", Run: checkNewerPage},
		{Name: "a new site of the same name becomes the owner", Run: checkNewSite},
		{Name: "an error of the server is returned", Run: checkError},
		{Name: "the context ends a request", Run: checkContext},
	},
	Show: show,
}
