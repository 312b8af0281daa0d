package course

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/thinformer/thinformer/learn/internal/catalog"
)

var verb = regexp.MustCompile(`%(\[\d+\])?[a-z]`)

// Each text is in both languages, with the same verbs.
func TestTextsHaveTheSameVerbs(t *testing.T) {
	syntax, err := parser.ParseFile(token.NewFileSet(), "text.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	ast.Inspect(syntax, func(node ast.Node) bool {
		literal, ok := node.(*ast.CompositeLit)
		if !ok || len(literal.Elts) != 2 {
			return true
		}
		if of, ok := literal.Type.(*ast.Ident); !ok || of.Name != "text" {
			return true
		}
		var texts [2]string
		for i, element := range literal.Elts {
			if texts[i], err = strconv.Unquote(element.(*ast.BasicLit).Value); err != nil {
				t.Fatal(err)
			}
		}
		checked++
		en, zh := verb.FindAllString(texts[0], -1), verb.FindAllString(texts[1], -1)
		if !slices.Equal(en, zh) || texts[1] == "" {
			t.Errorf("the verbs of %q are %q, and those of %q are %q", texts[0], en, texts[1], zh)
		}
		return true
	})
	if checked < 40 {
		t.Errorf("checked %d texts", checked)
	}
}

func TestEachStepHasAText(t *testing.T) {
	for _, step := range append([]catalog.Step{theMap}, steps...) {
		if about := builds[step.Name]; about.en == "" || about.minutes == 0 {
			t.Errorf("builds has no line for step %s", step.Name)
		}
	}
}
