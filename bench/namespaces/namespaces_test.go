package namespaces

import (
	"maps"
	"os"
	"testing"
	"time"

	"github.com/thinformer/thinformer/bench/apiserver"
	"github.com/thinformer/thinformer/bench/harness"
	"github.com/thinformer/thinformer/bench/process"
)

func TestMain(m *testing.M) {
	roles := apiserver.Roles()
	maps.Copy(roles, Roles())
	if process.RunAsChild(roles) {
		return
	}
	os.Exit(m.Run())
}

// Each case runs, and both sides have figures.
func TestCasesRun(t *testing.T) {
	for _, c := range Cases() {
		for _, row := range (harness.Plan{Rounds: 1, Budget: time.Millisecond}).Run(c) {
			if row.Err != nil || row.Ours == nil || row.Theirs == nil {
				t.Errorf("%+v", row)
			} else {
				t.Log(row.Case, *row.Ours, *row.Theirs, row.Unit)
			}
		}
	}
}
