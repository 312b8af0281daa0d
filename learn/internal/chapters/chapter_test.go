package chapters_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/thinformer/thinformer/internal/sourcetree"
	"github.com/thinformer/thinformer/learn/internal/chapters"
)

func TestHints(t *testing.T) {
	first := "<details><summary>Hint 1</summary>\n\nRead a *line*.\n\n</details>\n"
	second := "\n<details><summary>提示 2</summary>\n\n更多\n</details>\n"
	if got, err := chapters.Hints("text\n" + first + second); err != nil || !slices.Equal(got, []string{"Read a *line*.", "更多"}) {
		t.Errorf("Hints returns %q, %v", got, err)
	}
	for _, wrong := range []string{second, first + first, "<details>\n<summary>Hint 1</summary>x</details>\n"} {
		if got, err := chapters.Hints(wrong); err == nil {
			t.Errorf("Hints returns %q for %q, want an error", got, wrong)
		}
	}
}

func TestReplace(t *testing.T) {
	const chapter = "<!-- source: a.go#b -->\n```go\nold\n```\n\n```go\nkept\n```\n<!-- output: go run x -->\n\n```text\n```\n"
	got := chapters.Replace(chapter, func(b chapters.Block) string { return b.Kind + " " + b.Origin + "\n" })
	want := strings.Replace(strings.Replace(chapter, "old", "source a.go#b", 1), "```text\n", "```text\noutput go run x\n", 1)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestExcerpt(t *testing.T) {
	long := "// long has many lines." + strings.Repeat("\n// and more", 33) + "\nfunc long() {\n}\n"
	tree := fstest.MapFS{"a/a.go": sourcetree.Text("package a\n\n// one is first.\nfunc one() int {\n\treturn 1 // one\n}\n\ntype list[T any] struct{}\n\nfunc (l *list[T]) add(x T) {}\n\nconst (\n\tx = 1\n\ty = 2\n)\n\n" + long)}
	for name, want := range map[string]string{
		"one":      "// one is first.\nfunc one() int {\n\treturn 1 // one\n}\n",
		"list":     "type list[T any] struct{}\n",
		"list.add": "func (l *list[T]) add(x T) {}\n",
		"y":        "const (\n\tx = 1\n\ty = 2\n)\n",
		"long":     "func long() {\n}\n",
	} {
		if got, err := chapters.Excerpt(tree, "a/a.go#"+name); err != nil || got != want {
			t.Errorf("the excerpt of %s is %q, %v; want %q", name, got, err, want)
		}
	}
	tree["a/b.go"] = sourcetree.Text("package a\n\nfunc huge() {\n" + strings.Repeat("\tone()\n", 40) + "}\n")
	for _, wrong := range []string{"a/a.go#add", "a/a.go#", "a/c.go#one", "a/b.go#huge"} {
		if got, err := chapters.Excerpt(tree, wrong); err == nil {
			t.Errorf("the excerpt of %s is %q, want an error", wrong, got)
		}
	}
}
