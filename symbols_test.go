package thinformer_test

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

// house is what the documents' names are looked up in: the rooms by the last
// part of their path, type-checked from source, so that it has unexported names
// as well.
type house struct {
	lines   *token.FileSet
	listed  map[string]listedPackage // by import path
	rooms   map[string]string        // import path by last part
	checked map[string]*types.Package
	imports types.Importer
}

// listedPackage is the part of `go list -json` that is read.
type listedPackage struct {
	ImportPath, Name, Dir, Export string
	GoFiles                       []string
	Module                        *struct{ Main bool }
}

// openHouse lists the rooms once for all tests.
var openHouse = sync.OnceValues(func() (*house, error) {
	h := &house{lines: token.NewFileSet(), listed: map[string]listedPackage{}, rooms: map[string]string{}, checked: map[string]*types.Package{}}
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Name,Dir,Export,GoFiles,Module", "./internal/...")
	for room := range floorPlan {
		if _, err := os.Stat(room); err == nil && room != "." {
			list.Args = append(list.Args, "./"+room+"/...")
		}
	}
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
		h.listed[p.ImportPath] = p
		if p.Module != nil && p.Module.Main && p.Name != "main" {
			h.rooms[path.Base(p.ImportPath)] = p.ImportPath
		}
	}
	h.imports = importer.ForCompiler(h.lines, "gc", func(imported string) (io.ReadCloser, error) {
		return os.Open(h.listed[imported].Export)
	})
	return h, nil
})

func theHouse(t *testing.T) *house {
	t.Helper()
	h, err := openHouse()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// room is the package whose path ends in this, nil if there is none.
func (h *house) room(t *testing.T, name string) *types.Package {
	t.Helper()
	imported, ours := h.rooms[name]
	if !ours {
		return nil
	}
	if checked := h.checked[name]; checked != nil {
		return checked
	}
	listed := h.listed[imported]
	var files []*ast.File
	for _, file := range listed.GoFiles {
		syntax, err := parser.ParseFile(h.lines, filepath.Join(listed.Dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, syntax)
	}
	checked, err := (&types.Config{Importer: h.imports}).Check(imported, h.lines, files, nil)
	if err != nil {
		t.Fatalf("%s: %v", imported, err)
	}
	h.checked[name] = checked
	return checked
}

// find is what "informer.shared.handleDeltas" names, and the slash separated
// file in which it is declared: a package, a name in it, then fields and methods.
func (h *house) find(t *testing.T, name string) (file string, err error) {
	t.Helper()
	parts := strings.Split(strings.TrimSuffix(name, "()"), ".")
	room := h.room(t, parts[0])
	if room == nil {
		return "", fmt.Errorf("%s: there is no package %s", name, parts[0])
	}
	if len(parts) == 1 {
		return "", nil
	}
	found := room.Scope().Lookup(parts[1])
	if found == nil {
		return "", fmt.Errorf("%s: package %s has no %s", name, parts[0], parts[1])
	}
	for i, member := range parts[2:] {
		of := found.Type()
		if pointer, ok := of.(*types.Pointer); ok {
			of = pointer.Elem()
		}
		in := room
		if named, ok := types.Unalias(of).(*types.Named); ok && named.Obj().Pkg() != nil {
			in = named.Obj().Pkg()
		}
		if found, _, _ = types.LookupFieldOrMethod(of, true, in, member); found == nil {
			return "", fmt.Errorf("%s: %s has no %s", name, strings.Join(parts[:i+2], "."), member)
		}
	}
	declared := h.lines.Position(found.Pos()).Filename
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if below, err := filepath.Rel(here, declared); err == nil {
		declared = below
	}
	return filepath.ToSlash(declared), nil
}

func TestTheHouseIsSearchedForNames(t *testing.T) {
	h := theHouse(t)
	for name, file := range map[string]string{
		"informer.shared.handleDeltas":      "informer/handledeltas.go",
		"informer.State.Source":             "informer/state.go",
		"informer.SharedInformer.State":     "informer/state.go",
		"deltafifo.Delta.FinalStateUnknown": "deltafifo/delta.go",
		"rest":                              "",
	} {
		if found, err := h.find(t, name); err != nil || found != file {
			t.Errorf("%s is in %q, %v; want %q", name, found, err, file)
		}
	}
	for name, complaint := range map[string]string{
		"nowhere.Name":                 "there is no package nowhere",
		"informer.Nothing":             "package informer has no Nothing",
		"informer.State.Source.Absent": "informer.State.Source has no Absent",
	} {
		if _, err := h.find(t, name); err == nil || !strings.Contains(err.Error(), complaint) {
			t.Errorf("%s: %v; want %q", name, err, complaint)
		}
	}
}
