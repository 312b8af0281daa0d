package docs_test

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

// nameRow is a row of a table of names: client-go's names, the file that declares
// them, and the names of this module.
type nameRow struct {
	names, file, here string
	ours              []nameLink
}

type nameLink struct{ name, file string }

// namesIn returns the rows of a document's tables.
func namesIn(t *testing.T, tree fs.FS, document string) (rows []nameRow) {
	t.Helper()
	text, err := fs.ReadFile(tree, document)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*) \\| ([^|]*) \\| ([^|]*) \\|$").FindAllStringSubmatch(string(text), -1) {
		made := nameRow{names: row[1], ours: linksIn(document, row[3]), file: strings.Trim(regexp.MustCompile("`.*`|^—$").FindString(row[2]), "`"), here: row[3]}
		rows = append(rows, made)
	}
	if len(rows) < 50 {
		t.Fatalf("%s has only %d names", document, len(rows))
	}
	return rows
}

// linksIn returns the links in a part of a document, with their text.
func linksIn(document, text string) (links []nameLink) {
	for _, found := range regexp.MustCompile("\\[`?([^]`]*)`?\\]\\(([^)]*)\\)").FindAllStringSubmatch(text, -1) {
		links = append(links, nameLink{found[1], path.Join(path.Dir(document), found[2])})
	}
	return links
}

var nameDocuments = []string{"docs/names.md", "docs/zh/names.md"}

// Each name of this module in the tables exists, exported or not, and is declared in
// the file of the link.
func TestNamesOfTheTablesExist(t *testing.T) {
	s := sourcePackages(t)
	for _, document := range nameDocuments {
		for _, row := range namesIn(t, repository(t), document) {
			if len(row.ours) == 0 {
				t.Errorf("%s: %s has no counterpart here", document, row.names)
			}
			for _, ours := range row.ours {
				if file, err := s.find(t, ours.name); err != nil || file != ours.file {
					t.Errorf("%s: %s is linked to %s, and is declared in %q (%v)", document, ours.name, ours.file, file, err)
				}
			}
		}
	}
}

// Both languages have the same names and files.
func TestNamesAreTheSameInBothLanguages(t *testing.T) {
	tree := repository(t)
	english, chinese := namesIn(t, tree, nameDocuments[0]), namesIn(t, tree, nameDocuments[1])
	key := func(row nameRow) string {
		words := []string{row.names, row.file}
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

// No name of client-go is in two rows.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range namesIn(t, repository(t), nameDocuments[0]) {
		for name := range strings.SplitSeq(row.names, ", ") {
			if seen[name] {
				t.Errorf("%s has two rows", name)
			}
			seen[name] = true
		}
	}
}
