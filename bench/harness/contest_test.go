package harness

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestEachSideOfContestHasColumn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		contest := Contest{
			Name: "fake/sleep", About: "all sleep", Unit: "us/op",
			Sides: []func() Side{sleeper(time.Millisecond), nil, sleeper(3 * time.Millisecond)},
		}
		var out bytes.Buffer
		columns, err := NewColumns(&out, []Contest{contest}, []string{"one", "two", "three"})
		if err != nil {
			t.Fatal(err)
		}
		for _, standing := range (Plan{Rounds: 3, Budget: time.Second}).Hold(contest) {
			if err := columns.Standing(standing); err != nil {
				t.Fatal(err)
			}
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 2 || !slices.Equal(strings.Fields(lines[0]), []string{"case", "unit", "one", "two", "three"}) ||
			!slices.Equal(strings.Fields(lines[1]), []string{"fake/sleep", "us/op", "1000", "-", "3000"}) {
			t.Errorf("%s", out.String())
		}
	})
}

func TestEachRoundOfContestBeginsWithAnotherSide(t *testing.T) {
	var turns []string
	side := func(name string) func() Side {
		return func() Side {
			return func(m *Meter) { turns = append(turns, name); m.Report("", 1) }
		}
	}
	Plan{Rounds: 3}.Hold(Contest{Name: "fake/turns", Unit: "x", N: 1, Sides: []func() Side{side("a"), side("b"), side("c")}})
	if got := strings.Join(turns, ""); got != "abcbcacab" {
		t.Error(got)
	}
}

func TestFailedContestReportsError(t *testing.T) {
	for name, side := range map[string]Side{
		"panic: broken": func(*Meter) { panic("broken") },
		"no side has":   func(*Meter) {},
	} {
		standings := Plan{Rounds: 1}.Hold(Contest{Name: "fake/failing", Unit: "x", N: 1, Sides: []func() Side{func() Side { return side }}})
		if len(standings) != 1 || standings[0].Err == nil || !strings.Contains(standings[0].Err.Error(), name) {
			t.Errorf("%s: %+v", name, standings)
		}
	}
}
