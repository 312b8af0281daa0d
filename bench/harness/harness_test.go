package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// sleeper is a side whose operations take the same time each.
func sleeper(perOp time.Duration) func() Side {
	return func() Side {
		return func(m *Meter) {
			m.Start()
			for range m.N {
				time.Sleep(perOp)
			}
			m.Stop()
		}
	}
}

func TestRatioIsTheirsOverOurs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := Plan{Rounds: 3, Budget: time.Second}.Run(Case{
			Name: "fake/sleep", About: "both sleep", Unit: "us/op",
			Ours: sleeper(time.Millisecond), Theirs: sleeper(3 * time.Millisecond),
		})
		if len(rows) != 1 || *rows[0].Ours != 1000 || *rows[0].Theirs != 3000 || *rows[0].Ratio() != 3 {
			t.Errorf("%+v", rows)
		}
	})
}

func TestRoundsAreInterleavedAndFirstSideAlternates(t *testing.T) {
	var turns []string
	side := func(name string) func() Side {
		return func() Side { return func(*Meter) { turns = append(turns, name) } }
	}
	Plan{Rounds: 3}.Run(Case{Name: "fake/turns", About: "both note their turn", Unit: "ns/op", N: 1, Ours: side("ours"), Theirs: side("theirs")})
	if want := []string{"ours", "theirs", "theirs", "ours", "ours", "theirs"}; !slices.Equal(turns, want) {
		t.Errorf("%v, want %v", turns, want)
	}
}

// The typed implementation below an untyped layer has its own rows and rounds.
func TestTypedImplementationHasItsRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := Plan{Rounds: 3, Budget: time.Second}.Run(Case{
			Name: "fake/layer", About: "all sleep", Unit: "us/op", N: 10,
			Ours: sleeper(4 * time.Millisecond), Theirs: sleeper(9 * time.Millisecond), Typed: sleeper(3 * time.Millisecond),
		})
		if len(rows) != 3 || rows[1].Case != "fake/layer/typed" || *rows[1].Ratio() != 3 || rows[2].Case != "fake/layer/kept" || *rows[2].Ours != 0.75 {
			t.Errorf("%+v", rows)
		}
	})
	var turns []string
	side := func(name string) func() Side {
		return func() Side { return func(*Meter) { turns = append(turns, name) } }
	}
	Plan{Rounds: 2}.Run(Case{Name: "fake/turns", About: "all note their turn", Unit: "ns/op", N: 1, Ours: side("ours"), Theirs: side("theirs"), Typed: side("typed")})
	if want := []string{"ours", "theirs", "typed", "theirs", "typed", "ours"}; !slices.Equal(turns, want) {
		t.Errorf("%v, want %v", turns, want)
	}
}

// A case whose sides must receive the same events is measured by one call for both.
func TestBothSidesRunTogether(t *testing.T) {
	calls := 0
	together := Case{Name: "fake/together", About: "both at once", Unit: "s", N: 1, Rounds: 3, Together: func() func(ours, theirs *Meter) {
		return func(ours, theirs *Meter) {
			calls++
			ours.Report("median", float64(calls))
			theirs.Report("median", 2*float64(calls))
			ours.ReportIn("requests", "requests", 7)
		}
	}}
	rows := Plan{Rounds: 9}.Run(together)
	if calls != 3 || len(rows) != 2 || rows[0].Case != "fake/together/median" || *rows[0].Ours != 2 || *rows[0].Theirs != 4 || rows[1].Theirs != nil {
		t.Errorf("%d calls, %+v", calls, rows)
	}
	together.Ours = sleeper(time.Millisecond)
	if err := together.Validate(); err == nil {
		t.Error("a side beside Together is not refused")
	}
}

func TestOnlyNamedCases(t *testing.T) {
	usual, named := Case{Name: "fake/usual"}, Case{Name: "fake/named", OnlyNamed: true}
	for expression, want := range map[string]bool{"": false, ".": false, "^fake/": true, "fake/named": true} {
		if !usual.IsNamedBy(expression) || named.IsNamedBy(expression) != want {
			t.Errorf("%q: %v, %v", expression, usual.IsNamedBy(expression), named.IsNamedBy(expression))
		}
	}
}

func TestCalibrationFillsTheBudgetOnTheSlowerSide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := Plan{Budget: time.Second}.calibrate(sleeper(time.Millisecond)(), sleeper(10*time.Millisecond)(), nil)
		if n < 80 || n > 120 {
			t.Errorf("%d operations of 10 ms fill a second", n)
		}
	})
}

func TestAllocationsAreForEachOperation(t *testing.T) {
	var sink []*int
	rows := Plan{Rounds: 3}.Run(Case{Name: "fake/allocs", About: "ours allocates twice", Unit: "ns/op", N: 1000, Ours: func() Side {
		return func(m *Meter) {
			sink = make([]*int, 0, 2*m.N)
			m.Start()
			for range m.N {
				sink = append(sink, new(int), new(int))
			}
			m.Stop()
		}
	}})
	if got := *rows[0].OursAllocs; got < 2 || got > 2.2 {
		t.Errorf("%v allocations, want 2", got)
	}
}

func TestSideReportsItsOwnFigures(t *testing.T) {
	reporting := func(values ...float64) func() Side {
		return func() Side { return func(m *Meter) { m.Percentiles(values) } }
	}
	rows := Plan{Rounds: 2}.Run(Case{Name: "fake/figures", About: "latencies", Unit: "us", N: 1, Ours: reporting(1, 2, 9), Theirs: reporting(2, 4, 18)})
	var got []string
	for _, row := range rows {
		got = append(got, fmt.Sprintf("%s %v %v", row.Case, *row.Ours, *row.Ratio()))
	}
	want := []string{"fake/figures 4 2", "fake/figures/p50 2 2", "fake/figures/p99 2 2", "fake/figures/max 9 2"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFigureHasItsOwnUnit(t *testing.T) {
	rows := Plan{Rounds: 2}.Run(Case{Name: "fake/units", About: "time and memory", Unit: "s", N: 1, Theirs: func() Side {
		return func(m *Meter) { m.Report("", 2); m.ReportIn("MB", "peak", 300) }
	}})
	if len(rows) != 2 || rows[0].Unit != "s" || rows[1].Unit != "MB" || rows[1].Case != "fake/units/peak" {
		t.Errorf("%+v", rows)
	}
}

func TestBytesAreForEachOperation(t *testing.T) {
	var sink [][]byte
	rows := Plan{Rounds: 3}.Run(Case{Name: "fake/bytes", About: "ours allocates a KiB", Unit: "ns/op", N: 1000, Ours: func() Side {
		return func(m *Meter) {
			sink = make([][]byte, 0, m.N)
			m.Start()
			for range m.N {
				sink = append(sink, make([]byte, 1024))
			}
			m.Stop()
			m.ReportBytes()
		}
	}})
	if len(rows) != 2 || rows[1].Case != "fake/bytes/bytes" || rows[1].Unit != "B/op" || *rows[1].Ours < 1024 || *rows[1].Ours > 1200 {
		t.Errorf("%+v", rows)
	}
}

func TestCaseLimitsRounds(t *testing.T) {
	turns := 0
	heavy := Case{Name: "fake/heavy", About: "takes its time", Unit: "s", N: 1, Rounds: 2, Ours: func() Side {
		return func(m *Meter) { turns++; m.Report("", 1) }
	}}
	Plan{Rounds: 9}.Run(heavy)
	if turns != 2 {
		t.Errorf("%d rounds", turns)
	}
	turns = 0
	Plan{Rounds: 1}.Run(heavy)
	if turns != 1 {
		t.Errorf("%d rounds of a plan for one", turns)
	}
	turns = 0
	Plan{Rounds: 9, Heavy: 1}.Run(heavy)
	if turns != 1 {
		t.Errorf("%d rounds of a plan that allows for one heavy one", turns)
	}
}

func TestMissingSideIsPrintedAsDash(t *testing.T) {
	rows := Plan{Rounds: 1}.Run(Case{Name: "fake/alone", About: "ours only", Unit: "B/object", N: 1, Ours: func() Side {
		return func(m *Meter) { m.Report("", 120) }
	}})
	table, lines := printed(t, rows[0])
	if fields := strings.Fields(table); !slices.Equal(fields, []string{"fake/alone", "B/object", "120", "-", "-", "-", "-"}) {
		t.Errorf("%q", fields)
	}
	want := `{"case":"fake/alone","unit":"B/object","ours":120,"client_go":null,"ratio":null,"ours_allocs":null,"client_go_allocs":null}`
	if lines != want {
		t.Errorf("%s\nwant %s", lines, want)
	}
}

func TestPanicFailsOnlyItsCase(t *testing.T) {
	rows := Plan{Rounds: 1}.Run(Case{Name: "fake/panic", About: "a worker panics", Unit: "ns/op", N: 1, Theirs: func() Side {
		return func(*Meter) {
			Parallel(2, func(worker int) {
				if worker == 1 {
					panic("as planned")
				}
			})
		}
	}})
	if len(rows) != 1 || rows[0].Err == nil {
		t.Fatalf("%+v", rows)
	}
	table, lines := printed(t, rows[0])
	if !strings.Contains(table, "FAILED: panic: as planned") {
		t.Error(table)
	}
	var object map[string]any
	if err := json.Unmarshal([]byte(lines), &object); err != nil || object["error"] != "panic: as planned" {
		t.Error(lines, err)
	}
}

func TestInvalidCaseFails(t *testing.T) {
	side := func() Side { return func(*Meter) {} }
	for _, c := range []Case{
		{},
		{Name: "nogroup", About: "a", Unit: "ns/op", Ours: side},
		{Name: "fake/mute", Unit: "ns/op", Ours: side},
		{Name: "fake/nounit", About: "a", Ours: side},
		{Name: "fake/nosides", About: "a", Unit: "ns/op"},
	} {
		if rows := (Plan{Rounds: 1}).Run(c); len(rows) != 1 || rows[0].Err == nil {
			t.Errorf("%q: %+v", c.Name, rows)
		}
	}
}

func TestMedian(t *testing.T) {
	if median(nil) != nil {
		t.Error("nothing has a median")
	}
	if got := *median([]float64{9, 1, 2}); got != 2 {
		t.Error(got)
	}
	if got := *median([]float64{9, 1, 2, 4}); got != 3 {
		t.Error(got)
	}
}

func TestErrorOfWriteIsReturned(t *testing.T) {
	if _, err := NewTable(full{}, nil); err == nil {
		t.Error("the table's header was lost")
	}
	if err := NewJSON(full{}).Row(Row{}); err == nil {
		t.Error("the row was lost")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

// printed is a row as the table and as JSON have it, without the line's end.
func printed(t *testing.T, row Row) (table, lines string) {
	t.Helper()
	var asTable, asJSON bytes.Buffer
	printer, err := NewTable(&asTable, []string{row.Case})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(printer.Row(row), NewJSON(&asJSON).Row(row)); err != nil {
		t.Fatal(err)
	}
	_, table, _ = strings.Cut(asTable.String(), "\n")
	return strings.TrimSpace(table), strings.TrimSpace(asJSON.String())
}
