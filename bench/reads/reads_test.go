package reads

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
		t.Run(c.Name, func(t *testing.T) {
			for _, row := range (harness.Plan{Rounds: 1, Budget: time.Millisecond}).Run(c) {
				show := func(figure *float64) any {
					if figure == nil {
						return nil
					}
					return *figure
				}
				t.Log(row.Case, show(row.Ours), show(row.Theirs), row.Unit)
				if row.Err != nil {
					t.Error(row.Err)
				}
			}
		})
	}
}
