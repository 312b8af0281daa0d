package docs_test

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"testing"
)

// Each step of an event's life links to its code, and both languages link to the
// same code. TestLinksHaveATarget checks the links.
func TestEachStepOfAnEventLinksToCode(t *testing.T) {
	steps := func(document string) (all []string) {
		text, err := fs.ReadFile(repository(t), document)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range regexp.MustCompile(`(?m)^(\d+)\. .*$`).FindAllStringSubmatch(string(text), -1) {
			links := link.FindAllStringSubmatch(step[0], -1)
			if len(links) == 0 {
				t.Errorf("%s: step %s has no link to code", document, step[1])
			}
			all = append(all, step[1])
			for _, to := range links {
				all = append(all, path.Join(path.Dir(document), to[1]))
			}
		}
		return all
	}
	english, chinese := steps("docs/architecture.md"), steps("docs/zh/architecture.md")
	if len(english) < 20 || !slices.Equal(english, chinese) {
		t.Errorf("the links of the English page:\n%q\nof the Chinese page:\n%q", english, chinese)
	}
}
