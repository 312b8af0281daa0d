package interop_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The names in the last column of the tables of docs/articles.md are in the package of
// client-go or apimachinery that is named before them.
func TestArticleNamesAreInClientGo(t *testing.T) {
	page, err := os.ReadFile("../docs/articles.md")
	if err != nil {
		t.Fatal(err)
	}
	folders, looked := moduleFolders(t), 0
	for _, row := range regexp.MustCompile(`(?m)^\| .* \| ([^|]*) \|$`).FindAllStringSubmatch(string(page), -1) {
		var folder, text string
		for _, span := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row[1], -1) {
			if module, below, ok := strings.Cut(span[1], "/"); ok {
				folder, text = span[1], sourceOf(t, filepath.Join(folders[module], below))
				continue
			}
			looked++
			owner, member, isMember := strings.Cut(span[1], ".")
			if !isMember {
				owner, member = "", owner
			}
			if !declares(text, owner, member) {
				t.Errorf("%s has no %s", folder, span[1])
			}
		}
	}
	if looked < 50 {
		t.Errorf("the tables have %d names only", looked)
	}
}

// sourceOf returns the text of all files of a package, without tests.
func sourceOf(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no files (%v)", folder, err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") {
			all.Write(text)
		}
	}
	return all.String()
}

// declares reports whether a text declares a type or function, or a method of owner or of
// an interface.
func declares(text, owner, name string) bool {
	pattern := `(?m)^(func|type) ` + name + `\b`
	if owner != "" {
		pattern = `(?m)^func \(\w* ?\*?` + owner + `(\[[^]]*\])?\) ` + name + `\b|^type ` + owner + ` interface \{(\n\t.*|\n)*?\n\t` + name + `\(`
	}
	return regexp.MustCompile(pattern).MatchString(text)
}
