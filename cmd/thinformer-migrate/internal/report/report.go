package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/patch"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/proposal"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/sources"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/versions"
)

// writer writes lines and keeps the first error.
type writer struct {
	w   io.Writer
	p   *program.Program
	err error
}

func (w *writer) line(format string, arguments ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.w, format+"\n", arguments...)
	}
}

// at returns the position of a line as FILE:LINE, relative to the module's folder.
func (w *writer) at(file *program.File, line int) string {
	return fmt.Sprintf("%s:%d", relative(w.p, file), line)
}

func relative(p *program.Program, file *program.File) string {
	if short, err := filepath.Rel(p.Dir, file.Path); err == nil {
		return filepath.ToSlash(short)
	}
	return file.Path
}

// section writes a heading and its lines, or what it means that there are none.
func (w *writer) section(title, none string, lines []string) {
	w.line("\n%s", title)
	if len(lines) == 0 {
		w.line("  %s", none)
	}
	for _, line := range lines {
		w.line("  %s", line)
	}
}

// Write writes the report.
func Write(out io.Writer, found *proposal.Proposal) error {
	w := &writer{w: out, p: found.Program}
	w.header(found)
	w.problems(found)
	if len(found.Affected) > 0 {
		created := sources.Find(found)
		w.sources(created)
		if !versions.IsOld(versions.ClientGo(found.Program)) {
			w.changes(found, created)
			w.stays(found, created)
		}
		w.differences(found)
		w.versions(found)
		w.commands(found)
	}
	if w.err != nil {
		return fmt.Errorf("write the report: %w", w.err)
	}
	return nil
}

func (w *writer) header(found *proposal.Proposal) {
	p := w.p
	if p.Main != nil {
		w.line("module %s in %s", p.Main.Path, p.Dir)
	}
	version := versions.ClientGo(p)
	if version != "" {
		w.line("client-go %s", version)
	}
	for _, note := range p.Notes {
		w.line("%s", note)
	}
	if old := versions.Update(p); len(old) > 0 {
		w.section(fmt.Sprintf("client-go is older than %s, and no change is proposed. Update it first, with the modules that depend on it, and run the tool again", versions.Oldest), "", old)
	}
	switch {
	case len(p.Packages) == 0:
		w.line("There are no Go files in this module, or build constraints exclude all of them.")
	case len(found.Affected) == 0:
		w.line("No package of this module imports an informer, a lister's store or a queue of client-go: there is nothing to change.")
	}
}

func (w *writer) problems(found *proposal.Proposal) {
	if lines := Unexamined(found); len(lines) > 0 {
		w.section("Not examined", "", lines)
	}
}

func (w *writer) sources(created []sources.Source) {
	var lines []string
	for _, s := range created {
		lines = append(lines, fmt.Sprintf("%s: %s (%s)", w.at(s.File, s.Line), s.Call, s.Kind))
	}
	w.section("Where the informers come from", "no informer of client-go is created in this module", lines)
}

func (w *writer) changes(found *proposal.Proposal, created []sources.Source) {
	var imports, others []string
	for _, c := range found.Changes {
		line := fmt.Sprintf("%s: %s -> %s", w.at(c.File, c.Line), c.Old, c.New)
		if c.Import {
			imports = append(imports, line)
		} else {
			others = append(others, line)
		}
	}
	if len(created) == 0 && len(found.Changes) > 0 && onlyFactories(found.Changes) {
		imports = append(imports, "These imports only name the types of factories that a caller of this module creates: the changes are optional.")
	}
	none := "none"
	if isSwitched(found, created) {
		none = "nothing to change"
	}
	w.section("Imports that can change now", none, imports)
	for _, file := range found.NewFiles {
		others = append(others, fmt.Sprintf("%s: a new file, for the factory %s", file.Path, file.Factory))
	}
	if len(others) > 0 {
		w.section("Other lines that can change", "none", others)
	}
}

// isSwitched reports whether no informer is client-go's, and no import can change.
func isSwitched(found *proposal.Proposal, created []sources.Source) bool {
	return len(found.Changes)+len(found.Broken) == 0 && (len(created) > 0 || len(found.Stays) == 0) &&
		!slices.ContainsFunc(created, func(s sources.Source) bool { return s.Kind != sources.Here })
}

func oneLine(text string) string {
	return strings.TrimPrefix(strings.Join(strings.Fields(text), " "), "-: ")
}

// Patch writes the changes for git apply, relative to the folder of the module.
func Patch(out io.Writer, found *proposal.Proposal) error {
	var files []*program.File
	for file := range found.Texts {
		files = append(files, file)
	}
	slices.SortFunc(files, func(a, b *program.File) int { return strings.Compare(a.Path, b.Path) })
	for _, file := range files {
		if err := patch.Write(out, relative(found.Program, file), file.Source, found.Texts[file]); err != nil {
			return err
		}
	}
	for _, file := range found.NewFiles {
		if err := patch.Write(out, file.Path, nil, file.Text); err != nil {
			return err
		}
	}
	return nil
}
