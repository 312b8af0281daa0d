package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each case in a document exists, and each -run expression of a command matches a case.
func TestCasesInDocumentsExist(t *testing.T) {
	groups, names := map[string]bool{}, map[string]bool{}
	var all []string
	for _, c := range allCases() {
		group, _, _ := strings.Cut(c.Name, "/")
		groups[group], names[c.Name] = true, true
		all = append(all, c.Name)
	}
	found := 0
	for _, pattern := range []string{"../*.md", "../docs/*.md", "../docs/*/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, named := range regexp.MustCompile("`([a-z]+)/([a-z0-9-]+)`").FindAllStringSubmatch(string(text), -1) {
				name := named[1] + "/" + named[2]
				if _, err := os.Stat(filepath.Join("..", name)); err == nil || !groups[named[1]] {
					continue
				}
				if found++; !names[name] {
					t.Errorf("%s names %s, which is not a case", file, name)
				}
			}
			for _, command := range regexp.MustCompile("go run -C bench \\.[^\n`]* -run '([^']*)'").FindAllStringSubmatch(string(text), -1) {
				wanted, err := regexp.Compile(command[1])
				if err != nil || !anyMatches(wanted, all) {
					t.Errorf("%s: no case matches %s (%v)", file, command[1], err)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no document names a case: is the pattern right?")
	}
}

func anyMatches(wanted *regexp.Regexp, names []string) bool {
	for _, name := range names {
		if wanted.MatchString(name) {
			return true
		}
	}
	return false
}
