package docs_test

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/thinformer/thinformer/internal/sourcetree"
)

// examplesAreListed: every example has a README, a test, and a line in the index. The
// index has no other lines.
func examplesAreListed(t *testing.T, tree fs.FS) (violations []string) {
	index, err := fs.ReadFile(tree, "examples/README.md")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := fs.ReadDir(tree, "examples")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Count(string(index), "\n| [")
	for _, folder := range folders {
		name := folder.Name()
		if !folder.IsDir() || name == "internal" || !hasFiles(t, tree, path.Join("examples", name)) {
			continue
		}
		for _, file := range []string{"README.md", "main.go", "main_test.go"} {
			if !sourcetree.IsFile(tree, path.Join("examples", name, file)) {
				violations = append(violations, fmt.Sprintf("examples/%s has no %s", name, file))
			}
		}
		if strings.Contains(string(index), fmt.Sprintf("\n| [%[1]s](%[1]s) |", name)) {
			lines--
		} else {
			violations = append(violations, fmt.Sprintf("examples/README.md has no line for %s", name))
		}
	}
	if lines != 0 {
		violations = append(violations, fmt.Sprintf("examples/README.md has %d lines too many", lines))
	}
	return violations
}

// hasFiles reports whether a folder has more than folders, such as a nested module.
func hasFiles(t *testing.T, tree fs.FS, folder string) bool {
	entries, err := fs.ReadDir(tree, folder)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() })
}

func TestEveryExampleIsListed(t *testing.T) { sourcetree.Rule(examplesAreListed).Holds(t) }

func TestTheExampleRuleCanFail(t *testing.T) {
	tree := func(index string, files ...string) fstest.MapFS {
		tree := fstest.MapFS{"examples/README.md": sourcetree.Text("| | |\n|---|---|\n" + index), "examples/internal/x/x.go": sourcetree.Text("package x")}
		for _, file := range files {
			tree[path.Join("examples", file)] = sourcetree.Text("")
		}
		return tree
	}
	line := "| [a](a) | shows a |\n"
	sourcetree.Rule(examplesAreListed).Passes(t, tree(line, "a/README.md", "a/main.go", "a/main_test.go"))
	sourcetree.Rule(examplesAreListed).Breaks(t, tree(line, "a/README.md", "a/main.go"), "examples/a has no main_test.go")
	sourcetree.Rule(examplesAreListed).Breaks(t, tree("", "a/README.md", "a/main.go", "a/main_test.go"), "no line for a")
	sourcetree.Rule(examplesAreListed).Breaks(t, tree(line+"| [b](b) | gone |\n", "a/README.md", "a/main.go", "a/main_test.go"), "1 lines too many")
}
