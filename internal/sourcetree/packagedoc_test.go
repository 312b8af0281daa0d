package sourcetree_test

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/thinformer/thinformer/internal/sourcetree"
)

// shortestPackageDoc is the least number of characters of a package comment.
const shortestPackageDoc = 300

// packageDocs: every package of the import table has a doc.go with a package
// comment of some length.
func packageDocs(t *testing.T, tree fs.FS) (violations []string) {
	length := map[string]int{}
	for _, file := range sourcetree.RootModule(t, tree) {
		if _, known := lineOf(file.Folder); !known || file.Test {
			continue
		}
		length[file.Folder] += 0
		if path.Base(file.Name) == "doc.go" {
			length[file.Folder] = len(file.Syntax.Doc.Text())
		}
	}
	for folder, n := range length {
		if n < shortestPackageDoc {
			violations = append(violations, fmt.Sprintf("%s: the package comment in doc.go has %d characters of at least %d", folder, n, shortestPackageDoc))
		}
	}
	return violations
}

func TestEveryPackageHasAPackageComment(t *testing.T) { sourcetree.Rule(packageDocs).Holds(t) }

func TestThePackageCommentRuleCanFail(t *testing.T) {
	comment := "// Package indexer " + strings.Repeat("holds the store. ", 30) + "\npackage indexer\n"
	sourcetree.Rule(packageDocs).Breaks(t, fstest.MapFS{"indexer/keys.go": sourcetree.Text(comment)}, "indexer", "0 characters")
	sourcetree.Rule(packageDocs).Breaks(t, fstest.MapFS{"indexer/doc.go": sourcetree.Text("// Package indexer is short.\npackage indexer\n")}, "indexer")
	sourcetree.Rule(packageDocs).Passes(t, fstest.MapFS{"indexer/doc.go": sourcetree.Text(comment), "indexer/keys.go": sourcetree.Text("package indexer")})
}
