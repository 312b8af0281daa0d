package docs_test

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/thinformer/thinformer/internal/sourcetree"
)

// index: docs/README.md has a link to each page in docs/, and docs/zh/README.md to each
// page in docs/zh.
func index(t *testing.T, tree fs.FS) (violations []string) {
	for _, folder := range []string{"docs", "docs/zh"} {
		list := folder + "/README.md"
		text, err := fs.ReadFile(tree, list)
		if err != nil {
			t.Fatal(err)
		}
		var linked []string
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			linked = append(linked, path.Join(folder, found[1]))
		}
		pages, err := fs.Glob(tree, folder+"/*.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			if page != list && !slices.Contains(linked, page) {
				violations = append(violations, fmt.Sprintf("%s has no link to %s", list, page))
			}
		}
	}
	return violations
}

func TestEveryPageIsInTheTableOfContents(t *testing.T) { sourcetree.Rule(index).Holds(t) }

func TestTheRuleForTheTableOfContentsCanFail(t *testing.T) {
	tree := func(english, chinese string) fstest.MapFS {
		return fstest.MapFS{
			"docs/README.md": sourcetree.Text(english), "docs/a.md": sourcetree.Text(""), "docs/design/b.md": sourcetree.Text(""),
			"docs/zh/README.md": sourcetree.Text(chinese), "docs/zh/a.md": sourcetree.Text(""),
		}
	}
	sourcetree.Rule(index).Passes(t, tree("[a](a.md)", "[a](a.md)"))
	sourcetree.Rule(index).Breaks(t, tree("", "[a](a.md)"), "docs/README.md has no link to docs/a.md")
	sourcetree.Rule(index).Breaks(t, tree("[a](a.md)", "[a](../a.md)"), "docs/zh/README.md has no link to docs/zh/a.md")
}
