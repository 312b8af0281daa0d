package steps_test

import (
	"io/fs"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/thinformer/thinformer/internal/sourcetree"
	"github.com/thinformer/thinformer/learn/internal/catalog"
	"github.com/thinformer/thinformer/learn/internal/judge"
	"github.com/thinformer/thinformer/learn/internal/program"
	"github.com/thinformer/thinformer/learn/internal/stack"
	"github.com/thinformer/thinformer/learn/internal/steps"
)

// folder has the folders of the steps, from the root of the module on.
const folder = catalog.Folder

// readSteps returns the steps as the command of the course reads them.
func readSteps(t *testing.T) []catalog.Step {
	t.Helper()
	all, err := catalog.Read(os.DirFS(sourcetree.Root(t)))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The command of the course reads from the source what the variables of the steps have.
func TestTheCatalogHasTheSteps(t *testing.T) {
	var want []catalog.Step
	for _, step := range steps.All {
		var checks []string
		for _, check := range step.Checks {
			checks = append(checks, check.Name)
		}
		want = append(want, catalog.Step{Number: step.Number, Name: step.Name, Short: step.Short, Functions: step.Functions, Checks: checks})
	}
	if got := readSteps(t); !reflect.DeepEqual(got, want) {
		t.Errorf("package catalog reads\n%v\nand the steps are\n%v", got, want)
	}
}

// The steps are in order, and their functions are fields of stack.Parts.
func TestStepsAreComplete(t *testing.T) {
	parts := reflect.ValueOf(steps.Reference())
	for i, step := range steps.All {
		if i > 0 && step.Number <= steps.All[i-1].Number {
			t.Errorf("step %d follows step %d", step.Number, steps.All[i-1].Number)
		}
		if step.Show == nil || len(step.Checks) == 0 || len(step.Functions) == 0 {
			t.Errorf("step %d has no run, no checks or no functions", step.Number)
		}
		for _, function := range step.Functions {
			if field := parts.FieldByName(function); !field.IsValid() || field.IsNil() {
				t.Errorf("step %d: steps.Reference has no %s", step.Number, function)
			}
		}
		names := map[string]bool{}
		for _, check := range step.Checks {
			if names[check.Name] {
				t.Errorf("step %d has two checks %q", step.Number, check.Name)
			}
			names[check.Name] = true
		}
	}
}

// The reference of each step passes its checks.
func TestReference(t *testing.T) {
	for _, step := range steps.All {
		t.Run(step.Name, func(t *testing.T) { judge.Test(t, step, steps.Reference()) })
	}
}

// A run prints the same each time.
func TestShow(t *testing.T) {
	for _, step := range steps.All {
		t.Run(step.Name, func(t *testing.T) {
			var first, second strings.Builder
			if err := step.Show(&first); err != nil {
				t.Fatal(err)
			}
			if err := step.Show(&second); err != nil || first.String() != second.String() {
				t.Errorf("the second run prints (error %v)\n%s\nand the first\n%s", err, second.String(), first.String())
			}
		})
	}
}

// Limits of the number of lines, with comments and empty lines.
const (
	mostReferenceLines = 150
	mostStackLines     = 300
)

func TestReferencesAndStackAreShort(t *testing.T) {
	tree := os.DirFS(sourcetree.Root(t))
	limit := func(folder string, most int) {
		lines := 0
		for _, text := range goFiles(t, tree, folder) {
			lines += strings.Count(text, "\n")
		}
		if lines > most {
			t.Errorf("%s has %d lines of at most %d", folder, lines, most)
		}
	}
	limit("learn/internal/stack", mostStackLines)
	for _, step := range steps.All {
		limit(path.Join(folder, step.Name, "reference"), mostReferenceLines)
	}
}

// A reference and a skeleton import only what a solution may import.
func TestReferencesImportWhatSolutionsMayImport(t *testing.T) {
	tree := os.DirFS(sourcetree.Root(t))
	for _, step := range steps.All {
		for _, kind := range []string{"reference", "skeleton"} {
			for name, text := range goFiles(t, tree, path.Join(folder, step.Name, kind)) {
				if err := program.CheckImports(name, text); err != nil {
					t.Errorf("%s of step %s: %v", kind, step.Name, err)
				}
			}
		}
	}
}

// goFiles returns the files of a package by name, without its tests.
func goFiles(t *testing.T, tree fs.FS, folder string) map[string]string {
	t.Helper()
	names, err := fs.Glob(tree, folder+"/*.go")
	if err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	if len(names) == 0 {
		t.Fatalf("%s has no files", folder)
	}
	files := map[string]string{}
	for _, name := range names {
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			t.Fatal(err)
		}
		files[path.Base(name)] = string(text)
	}
	return files
}

// Each function of stack.Parts is the task of a step.
func TestEachPartBelongsToAStep(t *testing.T) {
	var functions []string
	for _, step := range steps.All {
		functions = append(functions, step.Functions...)
	}
	parts := reflect.TypeFor[stack.Parts]()
	for i := range parts.NumField() {
		if name := parts.Field(i).Name; !slices.Contains(functions, name) {
			t.Errorf("no step has the function %s", name)
		}
	}
}
