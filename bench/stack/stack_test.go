package stack

import (
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/pods"
	"github.com/thinformer/thinformer/bench/process"
)

func TestMain(m *testing.M) {
	roles := pods.Roles()
	maps.Copy(roles, Roles())
	if process.RunAsChild(roles) {
		return
	}
	os.Exit(m.Run())
}

// Each case runs with few pods, and both sides have equal objects and numbers of callbacks.
func TestCasesRun(t *testing.T) {
	for _, c := range append(Cases(), LayerCases()...) {
		rows := harness.Plan{Rounds: 1, Budget: time.Millisecond}.Run(c)
		for _, row := range rows {
			if row.Err != nil || row.Ours == nil || (row.Theirs == nil) != (c.Theirs == nil || strings.HasSuffix(row.Case, "/kept")) {
				t.Errorf("%+v", row)
			}
		}
	}
}

// A relist of objects that have not changed costs callbacks and new objects on
// the other side, and nothing on ours.
func TestRelistOfUnchangedObjectsCallsNoHandler(t *testing.T) {
	for _, c := range Cases() {
		if !strings.HasPrefix(c.Name, "relist/") {
			continue
		}
		for _, row := range (harness.Plan{Rounds: 1, Budget: time.Millisecond}).Run(c) {
			if row.Unit != "of before" && (*row.Ours != 0 || *row.Theirs == 0) {
				t.Errorf("%s: ours %v, client-go's %v", row.Case, *row.Ours, *row.Theirs)
			}
		}
	}
}
