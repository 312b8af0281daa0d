package thinformer_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// nameRow is a row of a table of names: client-go's nouns, the file that has
// them, and ours.
type nameRow struct {
	nouns, file, here string
	ours              []nameLink
}

type nameLink struct{ name, file string }

// namesIn are the rows of a document's tables.
func namesIn(t *testing.T, tree fs.FS, document string) (rows []nameRow) {
	t.Helper()
	text, err := fs.ReadFile(tree, document)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*) \\| ([^|]*) \\| ([^|]*) \\|$").FindAllStringSubmatch(string(text), -1) {
		made := nameRow{nouns: row[1], file: strings.Trim(regexp.MustCompile("`.*`|^—$").FindString(row[2]), "`"), here: row[3]}
		for _, found := range regexp.MustCompile("\\[`([^`]*)`\\]\\(([^)]*)\\)").FindAllStringSubmatch(row[3], -1) {
			made.ours = append(made.ours, nameLink{found[1], path.Join(path.Dir(document), found[2])})
		}
		rows = append(rows, made)
	}
	if len(rows) < 50 {
		t.Fatalf("%s has %d names only", document, len(rows))
	}
	return rows
}

var nounsDocuments = []string{"docs/names.md", "docs/zh/names.md"}

// What stands here for a noun of client-go is there, unexported or not, and in
// the file that the link leads to.
func TestNamesAreThere(t *testing.T) {
	h := theHouse(t)
	for _, document := range nounsDocuments {
		for _, row := range namesIn(t, os.DirFS("."), document) {
			if len(row.ours) == 0 {
				t.Errorf("%s: %s has nothing here to look at", document, row.nouns)
			}
			for _, ours := range row.ours {
				if file, err := h.find(t, ours.name); err != nil || file != ours.file {
					t.Errorf("%s: %s is said to be in %s, and is in %q (%v)", document, ours.name, ours.file, file, err)
				}
			}
		}
	}
}

// Both languages have the same nouns, the same files and the same names of ours.
func TestNamesAreTheSameInBothLanguages(t *testing.T) {
	tree := os.DirFS(".")
	english, chinese := namesIn(t, tree, nounsDocuments[0]), namesIn(t, tree, nounsDocuments[1])
	key := func(row nameRow) string {
		words := []string{row.nouns, row.file}
		for _, ours := range row.ours {
			words = append(words, ours.name)
		}
		return strings.Join(words, " ")
	}
	for i := range max(len(english), len(chinese)) {
		var en, zh string
		if i < len(english) {
			en = key(english[i])
		}
		if i < len(chinese) {
			zh = key(chinese[i])
		}
		if en != zh {
			t.Fatalf("row %d: English has\n\t%s\nand Chinese\n\t%s", i+1, en, zh)
		}
	}
}

// No noun stands in two rows.
func TestNamesStandOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range namesIn(t, os.DirFS("."), nounsDocuments[0]) {
		for noun := range strings.SplitSeq(row.nouns, ", ") {
			if seen[noun] {
				t.Errorf("%s has two rows", noun)
			}
			seen[noun] = true
		}
	}
}
