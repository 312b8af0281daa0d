package thinformer_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

// module is the path of the root module.
const module = "github.com/thinformer/thinformer"

// A rule looks at a source tree and says what is wrong with it, a line each.
// A rule reads nothing but the tree it is given, so that it can be shown a
// tree that breaks it.
type rule func(t *testing.T, tree fs.FS) []string

// holds fails the test with what the rule finds wrong in this repository.
func (r rule) holds(t *testing.T) {
	t.Helper()
	for _, complaint := range r(t, os.DirFS(".")) {
		t.Error(complaint)
	}
}

// breaks fails the test unless the rule complains about the tree in one line
// that holds each of the words.
func (r rule) breaks(t *testing.T, tree fstest.MapFS, words ...string) {
	t.Helper()
	found := r(t, tree)
	if len(found) != 1 {
		t.Fatalf("want one complaint, got %d: %q", len(found), found)
	}
	for _, word := range words {
		if !strings.Contains(found[0], word) {
			t.Errorf("the complaint does not say %q: %s", word, found[0])
		}
	}
}

// passes fails the test if the rule complains about the tree.
func (r rule) passes(t *testing.T, tree fstest.MapFS) {
	t.Helper()
	if found := r(t, tree); len(found) > 0 {
		t.Errorf("want no complaint, got %q", found)
	}
}

// sourceFile is one Go file of the root module.
type sourceFile struct {
	name   string // slash separated, from the root
	folder string // "." for the root itself
	test   bool   // a _test.go file
	syntax *ast.File
	lines  *token.FileSet
}

// rootModule parses every Go file of the root module: nested modules, testdata
// and what the go command ignores are left out.
func rootModule(t *testing.T, tree fs.FS) []sourceFile {
	t.Helper()
	var files []sourceFile
	walk(t, tree, false, func(name string, text []byte) {
		if path.Ext(name) != ".go" {
			return
		}
		lines := token.NewFileSet()
		syntax, err := parser.ParseFile(lines, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, sourceFile{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), syntax, lines})
	})
	return files
}

// walk calls visit with each file of the tree, of nested modules too if asked.
func walk(t *testing.T, tree fs.FS, nested bool, visit func(name string, text []byte)) {
	t.Helper()
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && (ignored(entry.Name()) || !nested && isFile(tree, path.Join(name, "go.mod"))) {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		visit(name, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func ignored(folder string) bool {
	return folder == "testdata" || strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_")
}

func isFile(tree fs.FS, name string) bool {
	info, err := fs.Stat(tree, name)
	return err == nil && info.Mode().IsRegular()
}

// goFile is a synthetic file for a tree that breaks a rule.
func goFile(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
