package apirecord_test

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/thinformer/thinformer/internal/apirecord"
	"github.com/thinformer/thinformer/internal/sourcetree"
)

var (
	record = flag.Bool("record", false, "write additions of the API to the folder api")
	breaks = flag.Bool("breaks", false, "with -record: write breaks of the API too")
)

// The promise of docs/compatibility.md: a change of the exported API is never made by
// accident.
func TestTheExportedAPIIsRecorded(t *testing.T) {
	root := sourcetree.Root(t)
	apirecord.Check{
		Module: sourcetree.Module, Folder: root, API: filepath.Join(root, "api"),
		Record: *record, Breaks: *breaks,
	}.Run(t)
}
