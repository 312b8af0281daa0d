package interop_test

import (
	"flag"
	"testing"

	"github.com/thinformer/thinformer/internal/apirecord"
	"github.com/thinformer/thinformer/internal/sourcetree"
)

var (
	recordAPI    = flag.Bool("record", false, "write additions of the API to the folder api")
	recordBreaks = flag.Bool("breaks", false, "with -record: write breaks of the API too")
)

// The promise of docs/compatibility.md holds for this module too.
func TestTheExportedAPIIsRecorded(t *testing.T) {
	const module = sourcetree.Module + "/interop"
	apirecord.Check{
		Module: module, Folder: ".", API: "api", Record: *recordAPI, Breaks: *recordBreaks,
		Only: []string{
			module, module + "/cachetesting", module + "/dynamicinformer", module + "/factory",
			module + "/informers", module + "/metadatainformer",
		},
	}.Run(t)
}
