package docs_test

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// guideHeading finds a heading of a chapter and the folder that it names, if any.
var guideHeading = regexp.MustCompile("^(#+) [^`]*(?:`([^`]*)`)?")

// guidesIn returns the lines of the reading guides of a chapter, by folder. A guide
// begins with a heading of level 3 that names a folder of the module. A heading of level
// 4 below it can name another folder.
func guidesIn(tree fs.FS, chapter string) map[string][]string {
	guides := map[string][]string{}
	var of, folder string
	for line := range strings.Lines(chapter) {
		if heading := guideHeading.FindStringSubmatch(line); heading != nil {
			isFolder := false
			if info, err := fs.Stat(tree, path.Clean(heading[2])); err == nil && heading[2] != "" {
				isFolder = info.IsDir()
			}
			switch level := len(heading[1]); {
			case level == 3 && isFolder:
				of, folder = heading[2], heading[2]
			case level <= 3:
				of, folder = "", ""
			case isFolder:
				folder = heading[2]
			default:
				folder = of
			}
			continue
		}
		if folder != "" {
			guides[folder] = append(guides[folder], line)
		}
	}
	return guides
}

// The chapters name each file of package rest and of the packages below it once, in the
// left column of a table, and no file that does not exist.
func TestReadingGuidesNameEachFile(t *testing.T) {
	tree := repository(t)
	for _, language := range []string{"en", "zh"} {
		var folders, named []string
		for _, chapter := range []string{"02-client.md", "03-frames.md"} {
			text, err := fs.ReadFile(tree, path.Join("learn/chapters", language, chapter))
			if err != nil {
				t.Fatal(err)
			}
			for folder, lines := range guidesIn(tree, string(text)) {
				folders = append(folders, folder)
				for _, line := range lines {
					named = append(named, namedIn(t, folder, line)...)
				}
			}
		}
		slices.Sort(folders)
		if want := []string{"internal/transport", "internal/wire", "rest"}; !slices.Equal(folders, want) {
			t.Errorf("%s: the guides are about %v, want %v", language, folders, want)
		}
		slices.Sort(named)
		for i := 1; i < len(named); i++ {
			if named[i] == named[i-1] {
				t.Errorf("%s: two rows name %s", language, named[i])
			}
		}
		for _, folder := range folders {
			for _, file := range files(t, folder, "*.go") {
				if !slices.Contains(named, file) {
					t.Errorf("%s: no row names %s", language, file)
				}
			}
		}
	}
}

// namedIn returns the files in the left column of a row.
func namedIn(t *testing.T, folder, line string) (named []string) {
	row := regexp.MustCompile(`^\| ([^|]*) \|`).FindStringSubmatch(line)
	if row == nil {
		return nil
	}
	for _, name := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row[1], -1) {
		named = append(named, files(t, folder, name[1])...)
	}
	return named
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

func TestReadingGuidesAreFound(t *testing.T) {
	const chapter = "## A\n| `x` |\n### The files of `rest`\na\n#### More\nb\n#### At `internal/wire`\nc\n#### Also\nd\n### Other `Request`\ne\n## Next `rest`\nf\n"
	want := "map[internal/wire:[c\n] rest:[a\n b\n d\n]]"
	if got := fmt.Sprint(guidesIn(repository(t), chapter)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
