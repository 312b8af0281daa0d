package thinformer_test

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

// shortestChapter is how many characters the package comment of a room has at
// least. A sentence is not a chapter.
const shortestChapter = 300

// chapters: every room opens with a doc.go whose package comment says what
// comes in, what goes out and how it is used.
func chapters(t *testing.T, tree fs.FS) (complaints []string) {
	length := map[string]int{}
	for _, file := range rootModule(t, tree) {
		if _, isRoom := lineOf(file.folder); !isRoom || file.test {
			continue
		}
		length[file.folder] += 0
		if path.Base(file.name) == "doc.go" {
			length[file.folder] = len(file.syntax.Doc.Text())
		}
	}
	for folder, n := range length {
		if n < shortestChapter {
			complaints = append(complaints, fmt.Sprintf("%s: the package comment in doc.go has %d characters of at least %d", folder, n, shortestChapter))
		}
	}
	return complaints
}

func TestEveryRoomOpensWithAChapter(t *testing.T) { rule(chapters).holds(t) }

func TestTheChapterRuleCanFail(t *testing.T) {
	chapter := "// Package indexer " + strings.Repeat("holds the store. ", 30) + "\npackage indexer\n"
	rule(chapters).breaks(t, fstest.MapFS{"indexer/keys.go": goFile(chapter)}, "indexer", "0 characters")
	rule(chapters).breaks(t, fstest.MapFS{"indexer/doc.go": goFile("// Package indexer is short.\npackage indexer\n")}, "indexer")
	rule(chapters).passes(t, fstest.MapFS{"indexer/doc.go": goFile(chapter), "indexer/keys.go": goFile("package indexer")})
}
