package steps

import (
	"strings"
	"testing"
)

func nothing() error { return nil }

// The controller starts concurrently with the first step: a report before that step
// belongs to it.
func TestReportBeforeTheFirstStepBelongsToIt(t *testing.T) {
	var out strings.Builder
	r := New(t.Context(), &out)
	r.Report("lamp is in the initial list")
	if err := r.Step("initial objects", nothing, "lamp is in the initial list"); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "# initial objects\n  lamp is in the initial list\n"; got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

func TestReportAfterAStepIsLate(t *testing.T) {
	var out strings.Builder
	r := New(t.Context(), &out)
	if err := r.Step("one", nothing); err != nil {
		t.Fatal(err)
	}
	r.Report("more")
	if err := r.Step("two", nothing); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "# one\n# two\n  late: more\n"; got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}
