package proposal

import (
	"go/ast"
	"path"
	"slices"
	"strings"

	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/program"
	"github.com/thinformer/thinformer/cmd/thinformer-migrate/internal/standin"
)

// A Proposal is what can change in a program, and what stays.
type Proposal struct {
	Program *program.Program
	Changes []Change
	Stays   []Stay
	// Texts are the changed files.
	Texts    map[*program.File][]byte
	NewFiles []NewFile
	// Base are the types of the unchanged program, by package ID. Packages that cannot have
	// values of client-go's types are missing.
	Base     map[string]*program.Result
	Affected []*program.Package
	Broken   []Broken

	// constructors has the imports of which constructors stay.
	constructors map[located]string
	at           map[string]string // the line behind a reason
}

// Kept returns why calls of a function of a package stay in a file. The stay has no line.
func (p *Proposal) Kept(file *program.File, path, function string) Stay {
	stay := Stay{File: file, Path: path, Reason: "the tool knows no replacement of this call"}
	factories := factoriesOf(path)
	if function == groupFunction {
		stay.Reason = "the tool replaces a call with the name of its package, such as coreinformers.New(factory, namespace, nil), and not a dot import or a function value: call In(factory, namespace, nil).Core().V1() of the package that replaces the factory's, with the accessors of the group"
	} else if len(factories) > 0 {
		stay.Reason = "the tool replaces a call with the name of its package, such as coreinformers.NewPodInformer(...), and not a dot import or a function value without a namespace: call NewInformer or NewFilteredInformer of the package that replaces the factory's"
	}
	if reason := p.constructors[located{file, path}]; reason != "" {
		stay.Reason = reason
	} else {
		for _, s := range p.Stays {
			if s.File == file && (s.Path == path || slices.Contains(factories, s.Path)) {
				stay.Reason = s.Reason
			}
		}
	}
	stay.At = p.at[stay.Reason]
	return stay
}

// A Change is one import or expression with its replacement.
type Change struct {
	File     *program.File
	Line     int
	Old, New string
	// Import reports that only an import path changes.
	Import bool
}

// A Stay is an import that stays.
type Stay struct {
	File   *program.File
	Line   int
	Path   string
	Reason string
	// At is the line that an edit by hand must change, as FILE:LINE, and "" if there is none.
	At string
	// Via says how the file's package is connected with the one that the reason is about, and
	// is "" for the same package.
	Via string
}

// A Broken package does not compile.
type Broken struct {
	Package *program.Package
	Errors  []string
}

// Watched reports whether a package has a replacement or constructors that have one, or
// creates informers.
func Watched(path string) bool {
	return strings.HasPrefix(path, standin.Module+"/") || standin.Replacement(path) != "" || len(factoriesOf(path)) > 0 || MayBeFactory(path) || HasRuntimeCache(path)
}

// HasRuntimeCache reports whether a package is one of controller-runtime, whose cache creates
// informers.
func HasRuntimeCache(path string) bool {
	return path == "sigs.k8s.io/controller-runtime" || strings.HasPrefix(path, "sigs.k8s.io/controller-runtime/pkg/cache") ||
		strings.HasPrefix(path, "sigs.k8s.io/controller-runtime/pkg/manager")
}

// factoryOf returns the path of the factory of a group's package, such as
// k8s.io/client-go/informers/core/v1, and "" for other packages.
func factoryOf(importPath string) string {
	factory := path.Dir(path.Dir(importPath))
	if factory == standin.ClientInformers || MayBeFactory(factory) {
		return factory
	}
	return ""
}

// Needs returns the packages whose types the verification of a program needs, given the
// packages that the program imports.
func Needs(imported []string) []string {
	var needs []string
	seen := map[string]bool{}
	var add func(path string)
	add = func(path string) {
		if seen[path] {
			return
		}
		seen[path] = true
		source := standin.Source(path)
		if source == nil {
			needs = append(needs, path)
			return
		}
		for _, imported := range standin.Imports(path) {
			add(imported)
		}
	}
	for _, path := range imported {
		if ours := standin.Replacement(path); ours != "" {
			add(ours)
		}
		if path == standin.ClientCache {
			add(standin.Interop)
		}
		if slices.Contains(factoriesOf(path), standin.ClientInformers) {
			add(standin.Informers)
		}
		if standin.Has(path) {
			add(path) // the patch has been applied, and the module requires nothing yet
		}
	}
	return needs
}

// Find finds the proposal for a program.
func Find(p *program.Program) *Proposal {
	found := &Proposal{Program: p, Texts: map[*program.File][]byte{}}
	found.Affected = p.Affected(Watched)
	c := newChecker(p, found.Affected)
	found.Base = c.check(func(f *program.File) *ast.File { return f.Syntax })
	s := newSolver(c, found)
	s.solve()
	s.record()
	slices.SortFunc(found.Changes, func(a, b Change) int { return compare(a.File, a.Line, b.File, b.Line) })
	slices.SortFunc(found.Stays, func(a, b Stay) int { return compare(a.File, a.Line, b.File, b.Line) })
	return found
}

func compare(a *program.File, lineA int, b *program.File, lineB int) int {
	if n := strings.Compare(a.Path, b.Path); n != 0 {
		return n
	}
	return lineA - lineB
}
