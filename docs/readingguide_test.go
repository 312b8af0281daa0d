package docs_test

import (
	"cmp"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// section finds a heading of the guide and the folder that it names, if any.
var section = regexp.MustCompile("^## [^`]*(?:`([^`]*)`)?")

// The guide names each file of its packages once, in the left column of a table, and
// no file that does not exist. A section is about the folder in its heading, or about
// rest.
func TestReadingGuideNamesEachFile(t *testing.T) {
	const guide = "docs/reading-rest.md"
	text, err := fs.ReadFile(repository(t), guide)
	if err != nil {
		t.Fatal(err)
	}
	folder := "rest"
	folders := []string{folder}
	var named []string
	for line := range strings.Lines(string(text)) {
		if heading := section.FindStringSubmatch(line); heading != nil {
			if folder = cmp.Or(heading[1], "rest"); !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
			continue
		}
		row := regexp.MustCompile(`^\| ([^|]*) \|`).FindStringSubmatch(line)
		if row == nil {
			continue
		}
		for _, name := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row[1], -1) {
			named = append(named, files(t, folder, name[1])...)
		}
	}
	slices.Sort(named)
	if twice := len(named) - len(slices.Compact(slices.Clone(named))); twice > 0 {
		t.Errorf("%s names %d files twice", guide, twice)
	}
	for _, folder := range folders {
		for _, file := range files(t, folder, "*.go") {
			if !slices.Contains(named, file) {
				t.Errorf("%s does not name %s", guide, file)
			}
		}
	}
}

// files returns the source files of a folder that match a pattern. It leaves out
// tests and subfolders.
func files(t *testing.T, folder, pattern string) (found []string) {
	matches, err := fs.Glob(repository(t), path.Join(folder, pattern))
	if err != nil || len(matches) == 0 {
		t.Errorf("%s has no file %s: %v", folder, pattern, err)
	}
	for _, match := range matches {
		if strings.HasSuffix(match, ".go") && !strings.HasSuffix(match, "_test.go") {
			found = append(found, match)
		}
	}
	return found
}
