package differences

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var record = flag.Bool("record", false, "write table.txt")

// The embedded table is that of docs/migration.md: every row, in the same order.
func TestTableIsThatOfTheDocument(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/migration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "\n## What behaves differently\n")
	if !ok {
		t.Fatal("docs/migration.md has no section with the differences")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var rows strings.Builder
	count := 0
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| `") {
			rows.WriteString(line)
			count++
		}
	}
	if *record {
		if err := os.WriteFile("table.txt", []byte(rows.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if rows.String() != table {
		t.Error("the table of differences in docs/migration.md has changed: run go test ./internal/differences -args -record")
	}
	if len(Table()) != count || count == 0 {
		t.Errorf("%d of %d rows can be read", len(Table()), count)
	}
}

// Every row that the tool looks for is in the table.
func TestRowsOfUsesExist(t *testing.T) {
	known := map[string]bool{}
	for _, row := range Table() {
		known[row.Name] = true
	}
	wanted := [][]string{{"hand-made", "get-indexers", "environment", "index-error"}}
	all := append(slices.Collect(maps.Values(beside)), byName, inQueue, inRuntime)
	for _, uses := range all {
		for _, rows := range uses {
			wanted = append(wanted, rows)
		}
	}
	for _, rows := range wanted {
		for _, row := range rows {
			if !known[row] {
				t.Errorf("the table has no row %s", row)
			}
		}
	}
}
