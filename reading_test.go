package thinformer_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A guide to a room names each of its files once, in the left column of a
// table, and none that is not there.
func TestReadingGuideNamesEachFile(t *testing.T) {
	for guide, room := range map[string]string{"docs/reading-rest.md": "rest"} {
		text, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		var named []string
		for _, row := range regexp.MustCompile(`(?m)^\| ([^|]*) \|`).FindAllStringSubmatch(string(text), -1) {
			for _, name := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row[1], -1) {
				named = append(named, files(t, room, name[1])...)
			}
		}
		all := files(t, room, "*.go")
		slices.Sort(named)
		if twice := len(named) - len(slices.Compact(slices.Clone(named))); twice > 0 {
			t.Errorf("%s names %d files twice", guide, twice)
		}
		for _, file := range all {
			if !slices.Contains(named, file) {
				t.Errorf("%s says nothing of %s", guide, file)
			}
		}
	}
}

// files are the source files that a pattern in a guide means; folders are
// rooms of their own.
func files(t *testing.T, room, pattern string) (found []string) {
	matches, err := filepath.Glob(filepath.Join(room, pattern))
	if err != nil || len(matches) == 0 {
		t.Errorf("%s: there is no such file in %s: %v", pattern, room, err)
	}
	for _, match := range matches {
		if strings.HasSuffix(match, ".go") && !strings.HasSuffix(match, "_test.go") {
			found = append(found, match)
		}
	}
	return found
}
