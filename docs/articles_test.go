package docs_test

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// articleRow is a row of a table of an article: the paragraphs and blocks, our
// functions, and the chapters of the course.
type articleRow struct {
	where          string
	ours, chapters []nameLink
}

var articleDocuments = []string{"docs/articles.md", "docs/zh/articles.md"}

// articlesIn returns the rows of each table of a document.
func articlesIn(t *testing.T, tree fs.FS, document string) (tables [][]articleRow) {
	t.Helper()
	text, err := fs.ReadFile(tree, document)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range outlineOf(document, string(text)).tables {
		var rows []articleRow
		for _, row := range strings.Split(strings.TrimSpace(table.text), "\n")[2:] {
			cells := strings.Split(row, " | ")
			if len(cells) != 4 {
				t.Fatalf("%s: %d columns, want 4: %s", document, len(cells), row)
			}
			rows = append(rows, articleRow{where: cells[0], ours: linksIn(document, cells[1]), chapters: linksIn(document, cells[2])})
		}
		tables = append(tables, rows)
	}
	if len(tables) != 3 {
		t.Fatalf("%s has %d tables, want one for each article", document, len(tables))
	}
	return tables
}

// Each function of this module in the tables is declared in the file of its link. A
// link into an example has its name as fragment, which TestLinksHaveATarget looks up.
func TestFunctionsOfTheArticlesExist(t *testing.T) {
	s := sourcePackages(t)
	for _, document := range articleDocuments {
		for _, row := range slices.Concat(articlesIn(t, repository(t), document)...) {
			for _, ours := range row.ours {
				if _, fragment, inExample := strings.Cut(ours.file, "#"); inExample {
					if fragment != ours.name {
						t.Errorf("%s: %s is linked to %s", document, ours.name, ours.file)
					}
					continue
				}
				if file, err := s.find(t, ours.name); err != nil || file != ours.file {
					t.Errorf("%s: %s is linked to %s, and is declared in %q (%v)", document, ours.name, ours.file, file, err)
				}
			}
		}
	}
}

// Each row leads to a chapter of the course, with the number of its step. The chapter
// exists: TestLinksHaveATarget.
func TestArticlesLeadToChapters(t *testing.T) {
	for _, document := range articleDocuments {
		for _, row := range slices.Concat(articlesIn(t, repository(t), document)...) {
			if len(row.chapters) == 0 {
				t.Errorf("%s: %s has no chapter", document, row.where)
			}
			for _, chapter := range row.chapters {
				if !strings.HasPrefix(path.Base(chapter.file), fmt.Sprintf("%02s-", chapter.name)) {
					t.Errorf("%s: step %s is linked to %s", document, chapter.name, chapter.file)
				}
			}
		}
	}
}

// The rows of an article have all of its paragraphs and blocks, in order: P1, P2 ...
// and B1, B2 ... A paragraph or block has several rows if it has several parts.
func TestArticlesAreListedWithoutGaps(t *testing.T) {
	for _, document := range articleDocuments {
		for i, table := range articlesIn(t, repository(t), document) {
			last := map[string]int{}
			for _, row := range table {
				where, _, _ := strings.Cut(strings.ReplaceAll(row.where, "：", ":"), ":")
				for _, found := range regexp.MustCompile(`([PB])(\d+)(?: (?:to|到) [PB](\d+))?`).FindAllStringSubmatch(where, -1) {
					from, _ := strconv.Atoi(found[2])
					if from != last[found[1]] && from != last[found[1]]+1 {
						t.Errorf("%s, table %d: %s%d follows %s%d", document, i+1, found[1], from, found[1], last[found[1]])
					}
					if last[found[1]] = from; found[3] != "" {
						last[found[1]], _ = strconv.Atoi(found[3])
					}
				}
			}
			if want := []map[string]int{{"P": 31, "B": 12}, {"P": 12, "B": 7}, {"P": 19, "B": 8}}[i]; last["P"] != want["P"] || last["B"] != want["B"] {
				t.Errorf("%s, table %d ends at %v, want %v", document, i+1, last, want)
			}
		}
	}
}

// Both languages have the same paragraphs, functions and chapters in each row.
func TestArticlesAreTheSameInBothLanguages(t *testing.T) {
	english, chinese := articlesIn(t, repository(t), articleDocuments[0]), articlesIn(t, repository(t), articleDocuments[1])
	key := func(row articleRow) string {
		words := regexp.MustCompile(`[PB]\d+`).FindAllString(row.where, -1)
		for _, of := range slices.Concat(row.ours, row.chapters) {
			words = append(words, of.name)
		}
		return strings.Join(words, " ")
	}
	for i, table := range english {
		if len(table) != len(chinese[i]) {
			t.Fatalf("table %d: %d rows in English, and %d in Chinese", i+1, len(table), len(chinese[i]))
		}
		for j, row := range table {
			if en, zh := key(row), key(chinese[i][j]); en != zh {
				t.Errorf("table %d, row %d: English has\n\t%s\nand Chinese\n\t%s", i+1, j+1, en, zh)
			}
		}
	}
}
