package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Printer prints rows.
type Printer interface {
	Row(Row) error
}

// NewTable returns a Printer of a table. Its first column is as wide as the longest name.
func NewTable(w io.Writer, names []string) (Printer, error) {
	width := len("case")
	for _, name := range names {
		width = max(width, len(name)+len("/callbacks"))
	}
	t := table{w, width}
	return t, t.line("case", "unit", "ours", "client-go", "ratio", "allocs", "client-go's")
}

type table struct {
	w     io.Writer
	width int
}

func (t table) Row(r Row) error {
	if r.Err != nil {
		_, err := fmt.Fprintf(t.w, "%-*s  FAILED: %s\n", t.width, r.Case, strings.ReplaceAll(r.Err.Error(), "\n", " "))
		return err
	}
	ratio := "-"
	if r.Ratio() != nil {
		ratio = brief(r.Ratio()) + "x"
	}
	return t.line(r.Case, r.Unit, brief(r.Ours), brief(r.Theirs), ratio, brief(r.OursAllocs), brief(r.TheirsAllocs))
}

func (t table) line(name, unit, ours, theirs, ratio, oursAllocs, theirsAllocs string) error {
	_, err := fmt.Fprintf(t.w, "%-*s  %-9s %10s %10s %9s %9s %12s\n", t.width, name, unit, ours, theirs, ratio, oursAllocs, theirsAllocs)
	return err
}

// brief formats a figure with three significant digits, and as a whole number from 100.
func brief(value *float64) string {
	switch {
	case value == nil:
		return "-"
	case *value == 0:
		return "0"
	case *value >= 100:
		return fmt.Sprintf("%.0f", *value)
	case *value >= 10:
		return fmt.Sprintf("%.1f", *value)
	default:
		return fmt.Sprintf("%.2f", *value)
	}
}

// NewJSON returns a Printer of one JSON object per line.
func NewJSON(w io.Writer) Printer { return lines{json.NewEncoder(w)} }

type lines struct{ encoder *json.Encoder }

func (l lines) Row(r Row) error {
	object := struct {
		Case         string   `json:"case"`
		Unit         string   `json:"unit"`
		Ours         *float64 `json:"ours"`
		Theirs       *float64 `json:"client_go"`
		Ratio        *float64 `json:"ratio"`
		OursAllocs   *float64 `json:"ours_allocs"`
		TheirsAllocs *float64 `json:"client_go_allocs"`
		Error        string   `json:"error,omitempty"`
	}{r.Case, r.Unit, r.Ours, r.Theirs, r.Ratio(), r.OursAllocs, r.TheirsAllocs, ""}
	if r.Err != nil {
		object.Error = r.Err.Error()
	}
	return l.encoder.Encode(object)
}
