package list

import (
	"maps"
	"os"
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

// Each case runs with few pods, in its own processes, and both sides have equal objects.
func TestCasesRun(t *testing.T) {
	for _, c := range Cases() {
		rows := harness.Plan{Rounds: 1, Budget: time.Millisecond}.Run(c)
		if len(rows) != 4 {
			t.Fatalf("%s: %+v", c.Name, rows)
		}
		for _, row := range rows {
			if row.Err != nil || row.Ours == nil || row.Theirs == nil || *row.Ours <= 0 || *row.Theirs <= 0 {
				t.Errorf("%+v", row)
			}
		}
	}
}
