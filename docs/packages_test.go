package docs_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// packageSet finds the names that documents use. It has the packages of the module
// by the last part of their path, without the examples and the course. They are
// type-checked from source, so unexported names are found as well.
type packageSet struct {
	lines   *token.FileSet
	listed  map[string]listedPackage // by import path
	paths   map[string]string        // import path by last part
	checked map[string]*types.Package
	imports types.Importer
}

// listedPackage is the part of `go list -json` that is read.
type listedPackage struct {
	ImportPath, Name, Dir, Export string
	GoFiles                       []string
	Module                        *struct{ Main bool }
}

// listPackages lists the packages once for all tests.
var listPackages = sync.OnceValues(func() (*packageSet, error) {
	s := &packageSet{lines: token.NewFileSet(), listed: map[string]listedPackage{}, paths: map[string]string{}, checked: map[string]*types.Package{}}
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Name,Dir,Export,GoFiles,Module", "./...")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listedPackage
		if err := decoder.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		s.listed[p.ImportPath] = p
		inProgram := strings.Contains(p.ImportPath, "/examples/") || strings.Contains(p.ImportPath, "/learn/")
		if p.Module != nil && p.Module.Main && !inProgram {
			s.paths[path.Base(p.ImportPath)] = p.ImportPath
		}
	}
	s.imports = importer.ForCompiler(s.lines, "gc", func(imported string) (io.ReadCloser, error) {
		return os.Open(s.listed[imported].Export)
	})
	return s, nil
})

func sourcePackages(t *testing.T) *packageSet {
	t.Helper()
	s, err := listPackages()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// byName returns the package whose path ends in name, or nil.
func (s *packageSet) byName(t *testing.T, name string) *types.Package {
	t.Helper()
	imported, ours := s.paths[name]
	if !ours {
		return nil
	}
	if checked := s.checked[name]; checked != nil {
		return checked
	}
	listed := s.listed[imported]
	var files []*ast.File
	for _, file := range listed.GoFiles {
		syntax, err := parser.ParseFile(s.lines, filepath.Join(listed.Dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, syntax)
	}
	checked, err := (&types.Config{Importer: s.imports}).Check(imported, s.lines, files, nil)
	if err != nil {
		t.Fatalf("%s: %v", imported, err)
	}
	s.checked[name] = checked
	return checked
}

// find returns the slash separated file that declares a name such as
// "informer.feed.handleDeltas": a package, a name in it, then fields and methods.
func (s *packageSet) find(t *testing.T, name string) (file string, err error) {
	t.Helper()
	parts := strings.Split(strings.TrimSuffix(name, "()"), ".")
	pkg := s.byName(t, parts[0])
	if pkg == nil {
		return "", fmt.Errorf("%s: there is no package %s", name, parts[0])
	}
	if len(parts) == 1 {
		return "", nil
	}
	found := pkg.Scope().Lookup(parts[1])
	if found == nil {
		return "", fmt.Errorf("%s: package %s has no %s", name, parts[0], parts[1])
	}
	for i, member := range parts[2:] {
		of := found.Type()
		if pointer, ok := of.(*types.Pointer); ok {
			of = pointer.Elem()
		}
		in := pkg
		if named, ok := types.Unalias(of).(*types.Named); ok && named.Obj().Pkg() != nil {
			in = named.Obj().Pkg()
		}
		if found, _, _ = types.LookupFieldOrMethod(of, true, in, member); found == nil {
			return "", fmt.Errorf("%s: %s has no %s", name, strings.Join(parts[:i+2], "."), member)
		}
	}
	declared := s.lines.Position(found.Pos()).Filename
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if below, err := filepath.Rel(here, declared); err == nil {
		declared = below
	}
	return filepath.ToSlash(declared), nil
}

func TestNamesAreFoundInPackages(t *testing.T) {
	s := sourcePackages(t)
	for name, file := range map[string]string{
		"informer.feed.handleDeltas":        "informer/handledeltas.go",
		"informer.State.Source":             "informer/state.go",
		"informer.SharedInformer.State":     "informer/state.go",
		"deltafifo.Delta.FinalStateUnknown": "deltafifo/delta.go",
		"rest":                              "",
	} {
		if found, err := s.find(t, name); err != nil || found != file {
			t.Errorf("find(%s) = %q, %v; want %q", name, found, err, file)
		}
	}
	for name, violation := range map[string]string{
		"nowhere.Name":                 "there is no package nowhere",
		"informer.Nothing":             "package informer has no Nothing",
		"informer.State.Source.Absent": "informer.State.Source has no Absent",
	} {
		if _, err := s.find(t, name); err == nil || !strings.Contains(err.Error(), violation) {
			t.Errorf("%s: %v; want %q", name, err, violation)
		}
	}
}
