package interop_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The nouns of docs/names.md are in the files of client-go, apimachinery and utils that
// the table names, and those that "were" there no longer are.
func TestNamesAreWhereTheTableSays(t *testing.T) {
	table, err := os.ReadFile("../docs/names.md")
	if err != nil {
		t.Fatal(err)
	}
	folders := moduleFolders(t)
	rows := regexp.MustCompile("(?m)^\\| (`[^|]*) \\| (was in )?`([a-z-]+)/([^`]*)` \\|").FindAllStringSubmatch(string(table), -1)
	if len(rows) < 50 {
		t.Fatalf("%d rows only", len(rows))
	}
	for _, row := range rows {
		text, err := os.ReadFile(filepath.Join(folders[row[3]], row[4]))
		if err != nil {
			t.Error(err)
			continue
		}
		for noun := range strings.SplitSeq(row[1], ", ") {
			name := regexp.QuoteMeta(strings.Trim(noun, "`"))
			if _, member, ok := strings.Cut(name, `\.`); ok {
				name = member
			}
			if row[2] == "" && !regexp.MustCompile(`\b`+name+`\b`).Match(text) {
				t.Errorf("%s is not in %s/%s", noun, row[3], row[4])
			}
			if row[2] != "" && regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type |var |const |\t)`+name+`\b`).Match(text) {
				t.Errorf("%s still is in %s/%s", noun, row[3], row[4])
			}
		}
	}
}

// moduleFolders returns the folders of the modules of Kubernetes, by the last part of
// their paths.
func moduleFolders(t *testing.T) map[string]string {
	t.Helper()
	folders := map[string]string{}
	for _, module := range []string{"client-go", "apimachinery", "utils"} {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/"+module).Output()
		if err != nil {
			t.Fatal(err)
		}
		folders[module] = strings.TrimSpace(string(out))
	}
	return folders
}
