package differences

import (
	_ "embed"
	"strings"
)

// table has the rows of the table in docs/migration.md. A test holds it equal.
//
//go:embed table.txt
var table string

// A Row is a row of the table.
type Row struct {
	Name, Theirs, Here string
	Switch             string // "none" if nothing restores client-go's behaviour
}

// Table returns the rows in their order.
func Table() []Row {
	var rows []Row
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 4 {
			continue // a test compares the number of rows
		}
		rows = append(rows, Row{
			Name: strings.Trim(strings.TrimSpace(cells[0]), "`"), Theirs: strings.TrimSpace(cells[1]),
			Here: strings.TrimSpace(cells[2]), Switch: strings.TrimSpace(cells[3]),
		})
	}
	return rows
}
