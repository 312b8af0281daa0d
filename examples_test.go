package thinformer_test

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

// examplesAreShown: every example has a README, a test, and a line in the index,
// which names no other.
func examplesAreShown(t *testing.T, tree fs.FS) (complaints []string) {
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
		if !folder.IsDir() || name == "internal" {
			continue
		}
		for _, file := range []string{"README.md", "main.go", "main_test.go"} {
			if !isFile(tree, path.Join("examples", name, file)) {
				complaints = append(complaints, fmt.Sprintf("examples/%s has no %s", name, file))
			}
		}
		if strings.Contains(string(index), fmt.Sprintf("\n| [%[1]s](%[1]s) |", name)) {
			lines--
		} else {
			complaints = append(complaints, fmt.Sprintf("examples/README.md has no line of %s", name))
		}
	}
	if lines != 0 {
		complaints = append(complaints, fmt.Sprintf("examples/README.md has %d lines too many", lines))
	}
	return complaints
}

func TestEveryExampleIsShown(t *testing.T) { rule(examplesAreShown).holds(t) }

func TestTheExampleRuleCanFail(t *testing.T) {
	tree := func(index string, files ...string) fstest.MapFS {
		tree := fstest.MapFS{"examples/README.md": goFile("| | |\n|---|---|\n" + index), "examples/internal/x/x.go": goFile("package x")}
		for _, file := range files {
			tree[path.Join("examples", file)] = goFile("")
		}
		return tree
	}
	line := "| [a](a) | it shows a |\n"
	rule(examplesAreShown).passes(t, tree(line, "a/README.md", "a/main.go", "a/main_test.go"))
	rule(examplesAreShown).breaks(t, tree(line, "a/README.md", "a/main.go"), "examples/a has no main_test.go")
	rule(examplesAreShown).breaks(t, tree("", "a/README.md", "a/main.go", "a/main_test.go"), "no line of a")
	rule(examplesAreShown).breaks(t, tree(line+"| [b](b) | gone |\n", "a/README.md", "a/main.go", "a/main_test.go"), "1 lines too many")
}
