package list

import (
	"os"
	"testing"
	"time"

	"github.com/thinformer/thinformer/bench/harness"
)

func TestMain(m *testing.M) {
	if RunAsChild() {
		return
	}
	os.Exit(m.Run())
}

// Each case runs through with few pods, in processes of their own, and both
// sides agree about what they got.
func TestTheCasesRun(t *testing.T) {
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

// What the bench calls equal can differ.
func TestADisagreementIsNoticed(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two digests of one list were taken for the same")
		}
	}()
	ask := request{URL: "nowhere"}
	agree(ask, "one")
	agree(ask, "one")
	agree(ask, "two")
}
