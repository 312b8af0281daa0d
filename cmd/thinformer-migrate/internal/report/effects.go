package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/differences"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/proposal"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/standin"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/versions"
)

// Limits of one row of the table of differences.
const (
	mostFiles = 8
	mostLines = 8 // of one file
)

func (w *writer) differences(found *proposal.Proposal) {
	var lines []string
	for _, touched := range differences.Find(found) {
		row := touched.Row
		text := fmt.Sprintf("%s: client-go: %s; here: %s", row.Name, plain(row.Theirs), plain(row.Here))
		if row.Switch != "none" {
			text += "; switch: " + plain(strings.TrimPrefix(row.Switch, "none: "))
		}
		lines = append(lines, text)
		files := w.byFile(touched.Places)
		for i, file := range files {
			if i == mostFiles {
				lines = append(lines, fmt.Sprintf("    and %d more files", len(files)-i))
				break
			}
			lines = append(lines, "    "+file)
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "none of those that a use of a name shows")
	}
	lines = append(lines, "Differences that concern every program, such as relist-unchanged and list-fresh, are not listed here.")
	w.section("Differences that this program touches (docs/migration.md has all)", "", lines)
}

// byFile returns a text for each file, with its lines.
func (w *writer) byFile(places []differences.Place) []string {
	var texts []string
	for i := 0; i < len(places); {
		text, count := w.at(places[i].File, places[i].Line), 1
		for ; i+count < len(places) && places[i+count].File == places[i].File; count++ {
			if count < mostLines {
				text += fmt.Sprintf(", %d", places[i+count].Line)
			}
		}
		if count > mostLines {
			text += fmt.Sprintf(" and %d more", count-mostLines)
		}
		texts = append(texts, text)
		i += count
	}
	return texts
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

// interop reports whether the changed program imports package interop or one below it. That
// is not known before client-go is updated.
func (w *writer) interop(found *proposal.Proposal) bool {
	if versions.IsOld(versions.ClientGo(w.p)) {
		return true
	}
	for _, c := range found.Changes {
		if !c.Import || strings.HasPrefix(c.New, standin.Interop) {
			return true
		}
	}
	return len(found.NewFiles) > 0
}

// commands writes the commands that switch the program, or, in a program with the patch, those
// that remain.
func (w *writer) commands(found *proposal.Proposal) {
	remain := len(found.Changes) == 0
	if versions.IsOld(versions.ClientGo(w.p)) || remain && !w.lacks(standin.Module) {
		return
	}
	var lines []string
	if !remain {
		lines = append(lines, "thinformer-migrate -diff | git apply")
	}
	lines = append(lines, "go mod edit -require="+standin.Module+"@v0.1.0 -replace="+standin.Module+"=../thinformer")
	if w.interop(found) || w.lacks(standin.Interop) {
		lines = append(lines, "go mod edit -require="+standin.Interop+"@v0.1.0 -replace="+standin.Interop+"=../thinformer/interop")
	}
	lines = append(lines, "go mod tidy")
	if w.p.Vendored {
		lines = append(lines, "go mod vendor")
	}
	lines = append(lines, "go vet ./...")
	w.section("Commands that switch it, with a clone of the repository in ../thinformer", "", lines)
}

// lacks reports whether the program imports a package of a module of this project, or below
// it, that go.mod does not require.
func (w *writer) lacks(module string) bool {
	return slices.ContainsFunc(w.p.Problems, func(problem string) bool {
		return isUnrequired(problem, module)
	})
}

// isUnrequired reports whether a problem is that no requirement provides a package.
func isUnrequired(problem, module string) bool {
	return strings.Contains(problem, "provides package "+module+"/") || strings.Contains(problem, "provides package "+module+";")
}
