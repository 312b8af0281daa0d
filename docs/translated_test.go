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

// englishOnly are pages that are not in Chinese: those for maintainers.
var englishOnly = []string{"docs/compatibility.md", "docs/maintaining.md"}

// translated returns a rule: the README of the root and of the course, the pages in docs/
// and those in a folder en are also in Chinese, except for the listed ones.
func translated(except []string) sourcetree.Rule {
	return func(t *testing.T, tree fs.FS) (violations []string) {
		var english, chinese []string
		for _, d := range documents(t, tree) {
			if original := originalOf(tree, d.name); original != "" {
				chinese = append(chinese, original)
			} else if folder := path.Dir(d.name); folder == "docs" || path.Base(folder) == "en" || d.name == "README.md" || d.name == "learn/README.md" {
				english = append(english, d.name)
			}
		}
		for _, name := range english {
			if !slices.Contains(chinese, name) && !slices.Contains(except, name) {
				violations = append(violations, name+" has no document in Chinese")
			}
		}
		for _, name := range except {
			if !slices.Contains(english, name) || slices.Contains(chinese, name) {
				violations = append(violations, fmt.Sprintf("%s does not exist, or is in Chinese: remove it from englishOnly", name))
			}
		}
		return violations
	}
}

func TestDocumentsAreInChinese(t *testing.T) { translated(englishOnly).Holds(t) }

func TestTheRuleForDocumentsInChineseCanFail(t *testing.T) {
	tree := func(files ...string) fstest.MapFS {
		made := fstest.MapFS{"go.mod": sourcetree.Text("module x\n")}
		for _, name := range files {
			made[name] = sourcetree.Text("")
		}
		return made
	}
	all := translated(nil)
	all.Passes(t, tree("README.md", "README.zh.md", "docs/a.md", "docs/zh/a.md", "x/en/a.md", "x/zh/a.md", "docs/design/a.md", "examples/README.md", "CHANGELOG.md"))
	for _, name := range []string{"README.md", "learn/README.md", "docs/a.md", "x/en/a.md"} {
		all.Breaks(t, tree(name), name+" has no document in Chinese")
		translated([]string{name}).Passes(t, tree(name))
		translated([]string{name}).Breaks(t, tree(), "remove it from englishOnly")
	}
	translated([]string{"docs/a.md"}).Breaks(t, tree("docs/a.md", "docs/zh/a.md"), "remove it from englishOnly")
}
