package sourcetree

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// Module is the path of the root module.
const Module = "github.com/thinformer/thinformer"

// Root returns the folder of the root module. The name is absolute, so that the test
// cache finds the files below it even if TestMain has changed the working directory.
func Root(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; folder = filepath.Dir(folder) {
		text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module "+Module+"\n") {
			return folder
		}
		if folder == filepath.Dir(folder) {
			t.Fatalf("no parent folder has the go.mod of %s", Module)
		}
	}
}

// A Rule returns the violations in a source tree, one line each. It reads only the
// tree that it is given, so that a test can give it a tree that breaks the rule.
type Rule func(t *testing.T, tree fs.FS) []string

// Holds reports the violations in this repository as errors.
func (r Rule) Holds(t *testing.T) {
	t.Helper()
	for _, violation := range r(t, os.DirFS(Root(t))) {
		t.Error(violation)
	}
}

// Breaks fails the test unless the tree has one violation, which contains each of
// the words.
func (r Rule) Breaks(t *testing.T, tree fstest.MapFS, words ...string) {
	t.Helper()
	found := r(t, tree)
	if len(found) != 1 {
		t.Fatalf("got %d violations, want one: %q", len(found), found)
	}
	for _, word := range words {
		if !strings.Contains(found[0], word) {
			t.Errorf("the violation does not contain %q: %s", word, found[0])
		}
	}
}

// Passes fails the test if the tree has a violation.
func (r Rule) Passes(t *testing.T, tree fstest.MapFS) {
	t.Helper()
	if found := r(t, tree); len(found) > 0 {
		t.Errorf("got violations: %q", found)
	}
}

// File is one Go file of the root module.
type File struct {
	Name    string // slash separated, from the root
	Folder  string // "." for the root
	Test    bool   // a _test.go file
	Syntax  *ast.File
	FileSet *token.FileSet
}

// RootModule parses every Go file of the root module. It leaves out nested modules,
// testdata, and folders that the go command ignores.
func RootModule(t *testing.T, tree fs.FS) []File {
	t.Helper()
	var files []File
	Walk(t, tree, false, func(name string, text []byte) {
		if path.Ext(name) != ".go" {
			return
		}
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, File{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), syntax, set})
	})
	return files
}

// Walk calls visit with each file of the tree, and with the files of nested modules
// if nested is set.
func Walk(t *testing.T, tree fs.FS, nested bool, visit func(name string, text []byte)) {
	t.Helper()
	walk(t, tree, func(folder string) bool {
		return ignored(path.Base(folder)) || !nested && IsFile(tree, path.Join(folder, "go.mod"))
	}, visit)
}

// WalkAll calls visit with each file of the tree: also with testdata, and with the
// folders that the go command ignores, except .git and the solutions of a learner.
func WalkAll(t *testing.T, tree fs.FS, visit func(name string, text []byte)) {
	t.Helper()
	walk(t, tree, func(folder string) bool { return folder == ".git" || folder == "learn/_work" }, visit)
}

// walk calls visit with the regular files of the folders that are not skipped.
func walk(t *testing.T, tree fs.FS, skip func(folder string) bool, visit func(name string, text []byte)) {
	t.Helper()
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && skip(name) {
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

// IsFile reports whether the tree has a regular file of that name.
func IsFile(tree fs.FS, name string) bool {
	info, err := fs.Stat(tree, name)
	return err == nil && info.Mode().IsRegular()
}

// Text returns a file with that text, for a tree that a test makes up.
func Text(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// Within reports whether a folder is parent or below it.
func Within(folder, parent string) bool {
	return folder == parent || strings.HasPrefix(folder, parent+"/")
}
