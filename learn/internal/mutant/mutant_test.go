package mutant_test

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/thinformer/thinformer/learn/internal/mutant"
)

const reference = `package p

import (
	"fmt"
	"strings"
)

// New creates it.
func New() *queue { return &queue{} }

type queue struct{ keys []string }

func (q *queue) Len() int { return len(q.keys) }

func (q *queue) Text() string {
	return strings.Join(q.keys, ",")
}

const (
	one = 1
	two = 2
)

var _ fmt.Stringer
`

func TestFiles(t *testing.T) {
	replacement := "// want: x: y\npackage p\n\nconst two = 3\n\nfunc (q *queue) Text() string { return extra() }\n\nfunc extra() string { return \"\" }\n"
	files, err := mutant.Files(map[string]string{"p.go": reference}, "wrong.go", replacement)
	if err != nil {
		t.Fatal(err)
	}
	got := files["p.go"]
	for _, absent := range []string{"strings", "Text()", "two"} {
		if strings.Contains(got, absent) {
			t.Errorf("the file still contains %q:\n%s", absent, got)
		}
	}
	for _, kept := range []string{`"fmt"`, "Len()", "one = 1", "func New()"} {
		if !strings.Contains(got, kept) {
			t.Errorf("the file does not contain %q any more:\n%s", kept, got)
		}
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "p.go", got, 0); err != nil {
		t.Error(err)
	}
	if files["wrong.go"] != replacement {
		t.Errorf("the replacement is %q", files["wrong.go"])
	}
	if _, err := mutant.Files(map[string]string{"p.go": reference}, "p.go", replacement); err == nil {
		t.Error("a replacement with the name of a file of the reference is accepted")
	}
}
