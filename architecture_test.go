package thinformer_test

import (
	"os"
	"path"
	"regexp"
	"slices"
	"testing"
)

// Each step of an event's life leads to the code that does it, and both
// languages lead to the same code. That the links hold is TestLinksLeadSomewhere.
func TestEachStepOfAnEventLeadsToCode(t *testing.T) {
	steps := func(document string) (all []string) {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range regexp.MustCompile(`(?m)^(\d+)\. .*$`).FindAllStringSubmatch(string(text), -1) {
			links := link.FindAllStringSubmatch(step[0], -1)
			if len(links) == 0 {
				t.Errorf("%s: step %s leads to no code", document, step[1])
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
		t.Errorf("English leads to\n%q\nand Chinese to\n%q", english, chinese)
	}
}
