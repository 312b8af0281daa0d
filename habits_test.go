package thinformer_test

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
)

// noSleep: a test that sleeps is slow when it passes and wrong on a busy
// machine. Time in tests is testing/synctest, inside which a sleep is free.
func noSleep(t *testing.T, tree fs.FS) (complaints []string) {
	for _, file := range rootModule(t, tree) {
		if !file.test || importsSynctest(file.syntax) {
			continue
		}
		ast.Inspect(file.syntax, func(node ast.Node) bool {
			selected, ok := node.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if of, ok := selected.X.(*ast.Ident); ok && of.Name == "time" && selected.Sel.Name == "Sleep" {
				complaints = append(complaints, fmt.Sprintf("%s: time.Sleep in a test that does not use testing/synctest", file.lines.Position(node.Pos())))
			}
			return true
		})
	}
	return complaints
}

func importsSynctest(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
		return spec.Path.Value == `"testing/synctest"`
	})
}

// laterMark matches the marks by which work is put off. They are put together
// here so that this file does not hold them.
var laterMark = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)

// nothingLater: what is left to do stands in the issues, where it is seen.
func nothingLater(t *testing.T, tree fs.FS) (complaints []string) {
	walk(t, tree, true, func(name string, text []byte) {
		if !slices.Contains([]string{".go", ".md", ".mod", ".conf", ""}, path.Ext(name)) {
			return
		}
		for i, line := range strings.Split(string(text), "\n") {
			if mark := laterMark.FindString(line); mark != "" {
				complaints = append(complaints, fmt.Sprintf("%s:%d: %s: do it, or write an issue", name, i+1, mark))
			}
		}
	})
	return complaints
}

func TestNoTestSleeps(t *testing.T) { rule(noSleep).holds(t) }

func TestNothingIsPutOffInTheSource(t *testing.T) { rule(nothingLater).holds(t) }

func TestTheSleepRuleCanFail(t *testing.T) {
	sleeps := "package p\nimport %q\nimport \"time\"\nfunc f() { time.Sleep(1) }\n"
	rule(noSleep).breaks(t, fstest.MapFS{"workqueue/queue_test.go": goFile(fmt.Sprintf(sleeps, "testing"))}, "workqueue/queue_test.go:4")
	rule(noSleep).passes(t, fstest.MapFS{
		"workqueue/queue_test.go": goFile(fmt.Sprintf(sleeps, "testing/synctest")),
		"workqueue/queue.go":      goFile(fmt.Sprintf(sleeps, "sync")),
	})
}

func TestTheLaterRuleCanFail(t *testing.T) {
	for _, mark := range []string{"TO" + "DO", "FIX" + "ME", "XX" + "X"} {
		rule(nothingLater).breaks(t, fstest.MapFS{"bench/go.mod": goFile("module m\n"), "bench/main.go": goFile("package p\n// " + mark + ": later\n")}, "bench/main.go:2", mark)
	}
	rule(nothingLater).passes(t, fstest.MapFS{"README.md": goFile("the to-do list is in the issues\n")})
}
