package catalog_test

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/thinformer/thinformer/internal/sourcetree"
	"github.com/thinformer/thinformer/learn/internal/catalog"
)

const step = `package second

var other = 1

var Step = judge.Step{
	Number:    2,
	Name:      "second",
	Short:     true,
	Functions: []string{"NewA", "NewB"},
	Checks: []judge.Check{
		{Name: "one", Run: one},
		{Name: "two", Run: two(1)},
	},
	Show: show,
}
`

func TestRead(t *testing.T) {
	tree := func(text string) fstest.MapFS {
		return fstest.MapFS{
			"learn/internal/steps/second/step.go": sourcetree.Text(text),
			"learn/internal/steps/third/step.go":  sourcetree.Text("package third\n\nvar Step = judge.Step{Number: 1, Name: \"third\"}\n"),
		}
	}
	got, err := catalog.Read(tree(step))
	want := []catalog.Step{
		{Number: 1, Name: "third"},
		{Number: 2, Name: "second", Short: true, Functions: []string{"NewA", "NewB"}, Checks: []string{"one", "two"}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Read returns %+v, %v; want %+v", got, err, want)
	}
	for _, c := range []struct{ old, new, want string }{
		{"Number:    2", "Number:    two", "Number: "},
		{`Name: "one"`, "Name: name", "Checks: "},
		{`[]string{"NewA", "NewB"}`, "functions()", "Functions: want a literal"},
		{"var Step", "var Other", "there is no var Step"},
		{"package second", "package", "second/step.go"},
	} {
		if got, err := catalog.Read(tree(strings.Replace(step, c.old, c.new, 1))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Read of a file with %q returns %+v, %v; want an error with %q", c.new, got, err, c.want)
		}
	}
	if got, err := catalog.Read(fstest.MapFS{}); err == nil {
		t.Errorf("Read of no files returns %+v", got)
	}
}
