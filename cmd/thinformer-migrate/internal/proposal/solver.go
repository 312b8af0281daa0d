package proposal

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/standin"
)

// all is the path of a decision about all imports of a unit.
const all = "*"

// solver decides which units keep which imports. Decisions are only added, so it ends.
type solver struct {
	c     *checker
	found *Proposal
	// keep has the reasons by unit and path of client-go's package.
	keep map[string]map[string]string
	// plain has the units whose constructors stay.
	plain map[string]string

	texts   map[*program.File]*version
	results map[string]*program.Result
	unitOf  map[*program.File]string
	infoOf  map[*program.File]*program.Result
}

// A version is a changed file.
type version struct {
	key    string
	text   []byte
	syntax *ast.File
	edits  []edit
}

func newSolver(c *checker, found *Proposal) *solver {
	s := &solver{
		c: c, found: found, keep: map[string]map[string]string{}, plain: map[string]string{},
		texts: map[*program.File]*version{}, unitOf: map[*program.File]string{}, infoOf: map[*program.File]*program.Result{},
	}
	for _, pkg := range found.Affected {
		for _, file := range pkg.Files {
			s.unitOf[file] = pkg.Unit
			s.infoOf[file] = found.Base[pkg.ID]
		}
	}
	return s
}

func (s *solver) keeps(unit, path string) bool {
	return s.keep[unit][path] != "" || s.keep[unit][all] != ""
}

// demote keeps an import and reports whether this is new.
func (s *solver) demote(unit, path, reason string) bool {
	if s.keeps(unit, path) {
		return false
	}
	if s.keep[unit] == nil {
		s.keep[unit] = map[string]string{}
	}
	s.keep[unit][path] = reason
	return true
}

func (s *solver) solve() {
	s.exclude()
	for {
		s.results = s.c.check(s.syntax)
		if s.resolveErrors() {
			continue
		}
		if s.resolveMeaning() {
			continue
		}
		return
	}
}

// exclude keeps the imports of packages that do not compile and of packages of which the
// build constraints exclude a file that has such an import.
func (s *solver) exclude() {
	broken := map[string]bool{}
	for _, pkg := range s.found.Affected {
		errors := pkg.Errors
		if result := s.found.Base[pkg.ID]; len(errors) == 0 {
			for _, e := range result.Errors {
				errors = append(errors, fmt.Sprintf("%s: %s", s.c.p.Fset.Position(e.Pos), e.Msg))
			}
		}
		for path := range pkg.Imports {
			for _, file := range pkg.Excluded {
				s.excluded(pkg, file, path)
			}
		}
		if len(errors) > 0 && !broken[pkg.Unit] {
			broken[pkg.Unit] = true
			s.found.Broken = append(s.found.Broken, Broken{Package: pkg, Errors: errors})
		}
	}
	// A package that does not compile cannot show whether a change of a package that it
	// imports is right.
	for i := len(s.found.Affected) - 1; i >= 0; i-- {
		pkg := s.found.Affected[i]
		if broken[pkg.Unit] {
			s.demote(pkg.Unit, all, "the package does not compile")
		}
		if s.keep[pkg.Unit][all] == "" {
			continue
		}
		for _, id := range pkg.Imports {
			if imported := s.c.p.Package(id); imported != nil {
				s.demote(imported.Unit, all, "package "+pkg.Path+" imports it, and does not compile")
			}
		}
	}
}

func (s *solver) excluded(pkg *program.Package, file *program.File, path string) {
	for _, i := range file.Imports {
		if i.Path == path && standin.Replacement(path) != "" {
			s.demote(pkg.Unit, path, fmt.Sprintf("%s imports it as well, and build constraints exclude this file, so that it cannot be examined: run the tool with its tags or system, such as GOFLAGS=-tags=NAME or GOOS=NAME", filepath.Base(file.Path)))
		}
	}
}

// syntax returns the syntax of a file with the changes of the present decisions.
func (s *solver) syntax(file *program.File) *ast.File { return s.version(file).syntax }

func (s *solver) version(file *program.File) *version {
	unit := s.unitOf[file]
	edits := s.edits(file, unit)
	var key strings.Builder
	for _, e := range edits {
		fmt.Fprintf(&key, "%d-%d:%s\n", e.start, e.end, e.text)
	}
	if known := s.texts[file]; known != nil && known.key == key.String() {
		return known
	}
	v := &version{key: key.String(), syntax: file.Syntax, edits: edits}
	if len(edits) > 0 {
		text := apply(file.Source, edits)
		// A file that cannot be parsed has no edits.
		if syntax, err := parser.ParseFile(s.c.p.Fset, file.Path, text, parser.SkipObjectResolution); err == nil {
			v.text, v.syntax = text, syntax
		}
	}
	s.texts[file] = v
	return v
}

// edits returns the edits of a file under the present decisions.
func (s *solver) edits(file *program.File, unit string) []edit {
	if file.Generated || s.keep[unit][all] != "" {
		return nil
	}
	base := s.infoOf[file]
	e := &editor{p: s.c.p, file: file, info: base.Info, own: base.Types}
	for _, i := range file.Imports {
		ours := standin.Replacement(i.Path)
		switch {
		case ours != "" && !s.keeps(unit, i.Path):
			e.replaceImport(i, ours)
		case i.Path == standin.ClientCache && i.Name != "." && i.Name != "_" && s.plain[unit] == "":
			e.through(i)
		case isGroup(i.Path) && i.Name != "." && i.Name != "_" && s.plain[unit] == "" && standin.Has(standin.Informers):
			e.group(i)
		}
	}
	return e.edits
}

// resolveErrors keeps the imports that cause the errors, and reports whether a decision is
// new. Errors of packages that import one with errors may be consequences: they come later.
func (s *solver) resolveErrors() bool {
	changed := false
	wrong := map[string]bool{}
	for _, pkg := range s.found.Affected {
		result := s.results[pkg.ID]
		consequence := false
		for _, id := range pkg.Imports {
			consequence = consequence || wrong[id]
		}
		if len(result.Errors) == 0 || s.keep[pkg.Unit][all] != "" {
			wrong[pkg.ID] = consequence
			continue
		}
		wrong[pkg.ID] = true
		if !consequence {
			changed = s.resolve(pkg, result) || changed
		}
	}
	return changed
}

// resolve keeps the imports that cause the errors of a package.
func (s *solver) resolve(pkg *program.Package, result *program.Result) bool {
	changed := false
	for _, e := range result.Errors {
		for _, origin := range s.origins(pkg, result, e) {
			changed = s.demote(origin.unit, origin.path, s.reason(e)) || changed
		}
	}
	if changed {
		return true
	}
	if s.plain[pkg.Unit] == "" {
		s.plain[pkg.Unit] = s.reason(result.Errors[0])
		return true
	}
	return s.fallBack(pkg, s.reason(result.Errors[0]))
}

// fallBack keeps all imports of a package, or of the packages that it imports.
func (s *solver) fallBack(pkg *program.Package, reason string) bool {
	changed := false
	for _, file := range pkg.Files {
		for _, i := range file.Imports {
			if standin.Replacement(i.Path) != "" {
				changed = s.demote(pkg.Unit, i.Path, reason) || changed
			}
		}
	}
	for _, id := range pkg.Imports {
		if imported := s.c.p.Package(id); imported != nil && !changed {
			changed = s.fallBack(imported, reason)
		}
	}
	if !changed && len(s.results[pkg.ID].Errors) > 0 {
		return s.demote(pkg.Unit, all, reason)
	}
	return changed
}

// reason returns a sentence about an error.
func (s *solver) reason(e types.Error) string {
	at := s.c.p.Fset.PositionFor(e.Pos, false)
	// The part after the first colon repeats the types and lists methods.
	text, _, _ := strings.Cut(e.Msg, ": ")
	text, _, _ = strings.Cut(text, "\n")
	for _, pair := range standin.Pairs {
		name := path.Base(pair.Theirs)
		text = strings.ReplaceAll(text, strconv.Quote(pair.Theirs)+".", "client-go's "+name+".")
		text = strings.ReplaceAll(text, strconv.Quote(pair.Ours)+".", "this library's "+name+".")
	}
	return fmt.Sprintf("%s:%d would not compile: %s", s.relative(at.Filename), at.Line, text)
}

func (s *solver) relative(name string) string {
	if short, err := filepath.Rel(s.c.p.Dir, name); err == nil {
		return filepath.ToSlash(short)
	}
	return name
}

// record fills the proposal with the decisions.
func (s *solver) record() {
	seen := map[*program.File]bool{}
	for _, pkg := range s.found.Affected {
		for _, file := range pkg.Files {
			if seen[file] {
				continue
			}
			seen[file] = true
			v := s.version(file)
			if v.text != nil {
				s.found.Texts[file] = v.text
			}
			for _, e := range v.edits {
				if e.change != nil {
					s.found.Changes = append(s.found.Changes, *e.change)
				}
			}
			for _, i := range file.Imports {
				if standin.Replacement(i.Path) == "" {
					continue
				}
				reason := s.keep[pkg.Unit][i.Path]
				if reason == "" {
					reason = s.keep[pkg.Unit][all]
				}
				if file.Generated {
					reason = "the file is generated"
				}
				if reason != "" {
					s.found.Stays = append(s.found.Stays, Stay{File: file, Line: i.Line, Path: i.Path, Reason: reason})
				}
			}
		}
	}
}
