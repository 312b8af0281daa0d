package sourcetree_test

import (
	"fmt"
	"go/ast"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/thinformer/thinformer/internal/sourcetree"
)

// noSleep: a test sleeps only inside testing/synctest, where time is fake. A real
// sleep makes a test slow, and makes it fail on a busy machine.
func noSleep(t *testing.T, tree fs.FS) (violations []string) {
	for _, file := range sourcetree.RootModule(t, tree) {
		if !file.Test || importsSynctest(file.Syntax) {
			continue
		}
		ast.Inspect(file.Syntax, func(node ast.Node) bool {
			selected, ok := node.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if of, ok := selected.X.(*ast.Ident); ok && of.Name == "time" && selected.Sel.Name == "Sleep" {
				violations = append(violations, fmt.Sprintf("%s: time.Sleep in a test that does not use testing/synctest", file.FileSet.Position(node.Pos())))
			}
			return true
		})
	}
	return violations
}

func importsSynctest(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
		return spec.Path.Value == `"testing/synctest"`
	})
}

// laterMark matches the marks of postponed work. The pattern is assembled from
// parts so that this file does not contain them.
var laterMark = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)

// nothingLater: postponed work is in the issues, not in the source.
func nothingLater(t *testing.T, tree fs.FS) (violations []string) {
	sourcetree.Walk(t, tree, true, func(name string, text []byte) {
		if !slices.Contains([]string{".go", ".md", ".mod", ".conf", ""}, path.Ext(name)) {
			return
		}
		for i, line := range strings.Split(string(text), "\n") {
			if mark := laterMark.FindString(line); mark != "" {
				violations = append(violations, fmt.Sprintf("%s:%d: %s: finish the work or file an issue", name, i+1, mark))
			}
		}
	})
	return violations
}

func TestNoTestSleeps(t *testing.T) { sourcetree.Rule(noSleep).Holds(t) }

func TestSourceHasNoPostponedWork(t *testing.T) { sourcetree.Rule(nothingLater).Holds(t) }

func TestTheSleepRuleCanFail(t *testing.T) {
	sleeps := "package p\nimport %q\nimport \"time\"\nfunc f() { time.Sleep(1) }\n"
	sourcetree.Rule(noSleep).Breaks(t, fstest.MapFS{"workqueue/queue_test.go": sourcetree.Text(fmt.Sprintf(sleeps, "testing"))}, "workqueue/queue_test.go:4")
	sourcetree.Rule(noSleep).Passes(t, fstest.MapFS{
		"workqueue/queue_test.go": sourcetree.Text(fmt.Sprintf(sleeps, "testing/synctest")),
		"workqueue/queue.go":      sourcetree.Text(fmt.Sprintf(sleeps, "sync")),
	})
}

func TestTheLaterRuleCanFail(t *testing.T) {
	for _, mark := range []string{"TO" + "DO", "FIX" + "ME", "XX" + "X"} {
		sourcetree.Rule(nothingLater).Breaks(t, fstest.MapFS{"bench/go.mod": sourcetree.Text("module m\n"), "bench/main.go": sourcetree.Text("package p\n// " + mark + ": later\n")}, "bench/main.go:2", mark)
	}
	sourcetree.Rule(nothingLater).Passes(t, fstest.MapFS{"README.md": sourcetree.Text("the to-do list is in the issues\n")})
}
