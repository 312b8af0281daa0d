package surface

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A reader of an article about client-go finds a name in the file of package cache, or of one
// below it, that has the name of client-go's file, or in one whose name continues it.
func TestFilesOfCacheHaveNamesOfClientGo(t *testing.T) {
	loaded := load(t)
	for _, p := range pairs {
		switch p.ours {
		case module + "workqueue":
			continue // its files have the names of its concepts
		case module + "interop/informers":
			continue // it is one generated file
		}
		for _, problem := range misplaced(declarations(t, loaded.folders[p.theirs]), declarations(t, loaded.folders[p.ours])) {
			t.Errorf("%s: %s", p.ours, problem)
		}
	}
}

func TestMisplacedNamesAreFound(t *testing.T) {
	theirs := map[string][]string{"store.go": {"Store", "cache"}, "index.go": {"Index"}, "heap.go": {"NewHeap"}}
	for want, ours := range map[string]map[string][]string{
		"": {"store_base.go": {"Store"}, "index.go": {"Index", "more"}, "heap.go": {"NewHeap"}},
		"heap.go declares none of the names of client-go's heap.go":   {"store.go": {"cache", "Store"}, "heap.go": {"newHeap"}, "index.go": {"Index"}},
		"Store is in stores.go; client-go declares it in store.go":    {"stores.go": {"Store"}},
		"Index is in store.go; client-go declares it in index.go":     {"store.go": {"Store", "Index"}},
		"NewHeap is in heap2.go; client-go declares it in heap.go":    {"heap2.go": {"NewHeap"}},
		"index.go declares none of the names of client-go's index.go": {"index.go": nil},
	} {
		if got := strings.Join(misplaced(theirs, ours), "\n"); got != want {
			t.Errorf("misplaced(%v) = %q, want %q", ours, got, want)
		}
	}
}

// misplaced compares the names that the files of client-go and of this module declare. It
// returns the files with a name of client-go's that declare none of its names, and the
// exported names that are in a file with another name.
func misplaced(theirs, ours map[string][]string) (problems []string) {
	home := map[string]string{}
	for file, names := range theirs {
		for _, name := range names {
			home[name] = file
		}
	}
	for _, file := range slices.Sorted(maps.Keys(ours)) {
		if counterpart, ok := theirs[file]; ok && len(counterpart) > 0 && !slices.ContainsFunc(ours[file], func(name string) bool { return home[name] == file }) {
			problems = append(problems, fmt.Sprintf("%s declares none of the names of client-go's %s", file, file))
		}
		for _, name := range ours[file] {
			stem := strings.TrimSuffix(home[name], ".go")
			if stem != "" && ast.IsExported(name) && file != home[name] && !strings.HasPrefix(file, stem+"_") {
				problems = append(problems, fmt.Sprintf("%s is in %s; client-go declares it in %s", name, file, home[name]))
			}
		}
	}
	return problems
}

// declarations returns the package-level names that each file of a folder declares.
func declarations(t *testing.T, folder string) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string][]string{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(path)
		names[base] = nil
		for _, declared := range file.Decls {
			names[base] = append(names[base], namesOf(declared)...)
		}
	}
	return names
}

// namesOf returns the package-level names of a declaration; a method has none.
func namesOf(declared ast.Decl) (names []string) {
	if function, ok := declared.(*ast.FuncDecl); ok && function.Recv == nil {
		return []string{function.Name.Name}
	}
	group, ok := declared.(*ast.GenDecl)
	if !ok {
		return nil
	}
	for _, spec := range group.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			names = append(names, spec.Name.Name)
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if name.Name != "_" {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}
