package steps_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/thinformer/thinformer/internal/sourcetree"
	"github.com/thinformer/thinformer/learn/internal/catalog"
	"github.com/thinformer/thinformer/learn/internal/mutant"
	"github.com/thinformer/thinformer/learn/internal/process"
	"github.com/thinformer/thinformer/learn/internal/program"
)

// virtual is the folder of the packages that exist only in the overlay of the build.
const virtual = "learn/_wrong"

// wrong is a solution that must fail.
type wrong struct {
	program.Solution
	check, words string // of the line "// want: CHECK: WORDS"
	files        map[string]string
}

// shownFailures is the number of the failures that the command describes.
const shownFailures = 3

// Each typical wrong solution in testdata/wrong fails: the check and words of its reason
// are in the first line of the file. The check is among the failures that a learner sees.
// All solutions of the selected steps are in one program. -run TestWrong/chunks builds
// only those of one step.
func TestWrong(t *testing.T) {
	b := &builder{root: sourcetree.Root(t)}
	t.Cleanup(b.remove)
	for _, step := range readSteps(t) {
		t.Run(step.Name, func(t *testing.T) {
			all := wrongSolutions(t, b.root, step)
			if len(all) < 2 {
				t.Errorf("step %s has %d wrong solutions, want at least 2", step.Name, len(all))
			}
			b.add(all)
			// The build begins when all selected steps are known.
			t.Parallel()
			b.once.Do(b.build)
			for _, wrong := range all {
				t.Run(path.Base(wrong.Name), func(t *testing.T) {
					t.Parallel()
					b.judge(t, wrong)
				})
			}
		})
	}
}

// Each skeleton compiles and fails without ending the process.
func TestSkeleton(t *testing.T) {
	b := &builder{root: sourcetree.Root(t)}
	t.Cleanup(b.remove)
	for _, step := range readSteps(t) {
		t.Run(step.Name, func(t *testing.T) {
			skeleton := program.Part{Step: step, Folder: path.Join(folder, step.Name, "skeleton")}
			solution := program.Solution{Name: step.Name, Step: step, Parts: []program.Part{skeleton}}
			b.add([]wrong{{Solution: solution}})
			t.Parallel()
			b.once.Do(b.build)
			failures := 0
			err := b.program(t, step.Name).Judge(t.Context(), len(step.Checks), func(o process.Outcome) bool {
				if o.Reason != "" {
					failures++
				} else if failures == 0 {
					t.Errorf("the skeleton passes the first check, %q", o.Check)
				}
				if strings.Contains(o.Reason, "panic") {
					t.Errorf("%s: %s", o.Check, o.Reason)
				}
				return true
			})
			if err != nil || failures <= len(step.Checks)/2 {
				t.Errorf("the skeleton fails %d of %d checks, error %v", failures, len(step.Checks), err)
			}
		})
	}
}

// wrongSolutions returns the solutions in testdata/wrong.
func wrongSolutions(t *testing.T, root string, step catalog.Step) (all []wrong) {
	tree := os.DirFS(root)
	reference := goFiles(t, tree, path.Join(folder, step.Name, "reference"))
	replacements := goFiles(t, tree, path.Join(folder, step.Name, "testdata/wrong"))
	for _, file := range slices.Sorted(maps.Keys(replacements)) {
		text := replacements[file]
		name := step.Name + "/" + strings.TrimSuffix(file, ".go")
		files, err := mutant.Files(reference, file, text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		part := program.Part{Step: step, Folder: path.Join(virtual, name)}
		w := wrong{Solution: program.Solution{Name: name, Step: step, Parts: []program.Part{part}}, files: files}
		if w.check, w.words, err = wanted(step, text); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all = append(all, w)
	}
	return all
}

// wanted returns the check and the words in the first line of a wrong solution.
func wanted(step catalog.Step, text string) (check, words string, err error) {
	line, _, _ := strings.Cut(text, "\n")
	want, ok := strings.CutPrefix(line, "// want: ")
	if !ok {
		return "", "", fmt.Errorf("the first line is %q, want // want: CHECK: WORDS", line)
	}
	for _, check := range step.Checks {
		if rest, ok := strings.CutPrefix(want, check+": "); ok {
			return check, strings.TrimSpace(rest), nil
		}
	}
	return "", "", fmt.Errorf("no check has the name at the beginning of %q", want)
}

// builder builds one program of several solutions.
type builder struct {
	root string
	all  []wrong

	once   sync.Once
	folder string // of the program and of the files of the overlay
	err    error
}

func (b *builder) add(solutions []wrong) { b.all = append(b.all, solutions...) }

// build is not bound to the test of one step, because the others wait for it too.
func (b *builder) build() {
	if b.folder, b.err = os.MkdirTemp("", "wrong"); b.err != nil {
		return
	}
	overlay := map[string]string{}
	add := func(name, text string) {
		real := filepath.Join(b.folder, fmt.Sprintf("%d.go", len(overlay)))
		overlay[name] = real
		if err := os.WriteFile(real, []byte(text), 0o600); err != nil {
			b.err = err
		}
	}
	// A program with one solution would not read its name.
	solutions := []program.Solution{{Name: "reference", Step: b.all[0].Step}}
	for _, wrong := range b.all {
		solutions = append(solutions, wrong.Solution)
		for name, text := range wrong.files {
			add(path.Join(wrong.Parts[0].Folder, name), text)
		}
	}
	main := virtual + "/main"
	add(main+"/main.go", string(program.Main("Command main judges wrong solutions.", solutions...)))
	if b.err == nil {
		b.err = program.Build(context.Background(), b.root, main, b.executable(), overlay)
	}
}

func (b *builder) executable() string { return filepath.Join(b.folder, "judge.exe") }

func (b *builder) remove() { os.RemoveAll(b.folder) }

func (b *builder) program(t *testing.T, name string) process.Program {
	if b.err != nil {
		t.Fatal(b.err)
	}
	return process.Program{Path: b.executable(), Args: []string{name}, Limit: time.Minute}
}

func (b *builder) judge(t *testing.T, w wrong) {
	failures, reason, judged := 0, "", false
	err := b.program(t, w.Name).Judge(t.Context(), len(w.Step.Checks), func(o process.Outcome) bool {
		if judged {
			return false // the program has printed more before it was ended
		}
		if o.Reason != "" {
			failures++
			t.Logf("FAIL %s: %s", o.Check, o.Reason)
		}
		if judged = o.Check == w.check; judged {
			reason = o.Reason
		}
		return !judged
	})
	switch {
	case err != nil:
		t.Error(err)
	case reason == "":
		t.Errorf("the check %q passes", w.check)
	case !strings.Contains(reason, w.words):
		t.Errorf("the reason of %q does not contain %q:\n%s", w.check, w.words, reason)
	case failures > shownFailures:
		t.Errorf("the check %q is failure %d, and the command describes only %d", w.check, failures, shownFailures)
	}
}
