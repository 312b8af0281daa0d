package report

import (
	"fmt"
	"strings"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/differences"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/proposal"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/standin"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/versions"
)

// mostPlaces limits the places of one row of the table of differences.
const mostPlaces = 8

func (w *writer) differences(found *proposal.Proposal) {
	var lines []string
	for _, touched := range differences.Find(found) {
		row := touched.Row
		text := fmt.Sprintf("%s: client-go: %s; here: %s", row.Name, plain(row.Theirs), plain(row.Here))
		if row.Switch != "none" {
			text += "; switch: " + plain(strings.TrimPrefix(row.Switch, "none: "))
		}
		lines = append(lines, text)
		for i, place := range touched.Places {
			if i == mostPlaces {
				lines = append(lines, fmt.Sprintf("    and %d more", len(touched.Places)-i))
				break
			}
			lines = append(lines, "    "+w.at(place.File, place.Line))
		}
	}
	w.section("Differences that this program touches (docs/migration.md has all)", "none of those that a use of a name shows", lines)
}

// plain returns the text of a cell without Markdown.
func plain(cell string) string { return strings.NewReplacer("`", "", "**", "").Replace(cell) }

func (w *writer) versions(found *proposal.Proposal) {
	raises, err := versions.Raises(w.p, w.interop(found))
	if err != nil {
		w.section("Versions that go mod tidy will raise", "", []string{err.Error()})
		return
	}
	var lines []string
	for _, r := range raises {
		line := fmt.Sprintf("%s %s -> %s", r.Path, r.From, r.To)
		if r.Replace != "" {
			line += fmt.Sprintf(" (but go.mod replaces it by %s)", r.Replace)
		}
		lines = append(lines, line)
	}
	w.section("Versions that go mod tidy will raise", "none", lines)
}

// interop reports whether the changed program imports package interop or one below it.
func (w *writer) interop(found *proposal.Proposal) bool {
	for _, c := range found.Changes {
		if !c.Import || strings.HasPrefix(c.New, standin.Interop) {
			return true
		}
	}
	return len(found.NewFiles) > 0
}

func (w *writer) commands(found *proposal.Proposal) {
	if len(found.Changes) == 0 {
		return
	}
	lines := []string{
		"thinformer-migrate -diff | git apply",
		"go mod edit -require=" + standin.Module + "@v0.1.0 -replace=" + standin.Module + "=../thinformer",
	}
	if w.interop(found) {
		lines = append(lines, "go mod edit -require="+standin.Interop+"@v0.1.0 -replace="+standin.Interop+"=../thinformer/interop")
	}
	lines = append(lines, "go mod tidy", "go vet ./...")
	w.section("Commands that switch it, with a clone of the repository in ../thinformer", "", lines)
}
