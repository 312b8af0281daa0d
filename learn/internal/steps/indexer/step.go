// Package indexer judges step 8: the local cache of an informer.
//
// A solution returns an empty Indexer. The checks apply changes and read the objects by key
// and by index, also at the same time. They verify that a reader sees all changes of an
// Apply or none, and that objects and indexes agree.
package indexer

import "github.com/thinformer/thinformer/learn/internal/judge"

// Step is step 8.
var Step = judge.Step{
	Number:    8,
	Name:      "indexer",
	Short:     true,
	Functions: []string{"NewIndexer"},
	Checks: []judge.Check{
		{Name: "Apply stores and removes objects", Run: checkApply},
		{Name: "ByIndex returns the objects with a value, ordered by key", Run: checkByIndex},
		{Name: "an object that changes leaves its old values", Run: checkChange},
		{Name: "an object has any number of values", Run: checkValues},
		{Name: "AddIndex includes the objects that are stored already", Run: checkAddIndex},
		{Name: "an unknown index and a repeated name are errors", Run: checkErrors},
		{Name: "returned slices belong to the caller", Run: checkSlices},
		{Name: "List returns all changes of an Apply or none", Run: checkList},
		{Name: "ByIndex returns all changes of an Apply or none", Run: checkByIndexDuringApply},
		{Name: "objects and indexes change together", Run: checkTogether},
		{Name: "all methods can be called at the same time", Run: checkConcurrent},
	},
	Show: show,
}
