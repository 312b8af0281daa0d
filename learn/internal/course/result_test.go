package course

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A step that has passed does not pass any longer if its solution cannot be built.
func TestAFailedBuildIsAResult(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"type":    "package workqueue\n\nvar x int = \"a\"\n",
		"import":  "package workqueue\n\nimport _ \"golang.org/x/sync/errgroup\"\n",
		"package": "package main\n",
		"init":    "package workqueue\n\nimport \"os\"\n\nfunc init() { os.Exit(3) }\n",
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			u.copies(queue)
			u.passes(queue)
			u.writes(queue, "wrong.go", file)
			u.types(1, "test -mine 10")
			if !u.progress().passed(queue) {
				t.Error("test -mine has changed the result")
			}
			u.types(1, "test 10")
			if u.progress().passed(queue) {
				t.Error("the step has passed after a failed build")
			}
			if with, without := u.command().otherParts(simulation); numbers(with) != "" || numbers(without) != "10" {
				t.Errorf("step 12 uses the parts of steps %q, and not those of %q", numbers(with), numbers(without))
			}
		})
	}
}

// The outcome of test -mine depends on other parts. That of step 12 does in each test.
func TestMineIsNotTheResultOfTheStep(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.copies(queue)
	u.sees(u.types(0, "test 10 -mine"), "With -mine the result of the step is not stored. Your part alone: go run ./learn test 10\n")
	if p := u.progress(); p.passed(queue) || p.Last != queue.Name {
		t.Errorf("the progress is %+v, the last step %s", *p.of(queue), p.Last)
	}
	// The function main had a folder of its own.
	if mains, err := os.ReadDir(filepath.Join(u.workspace.folder, "main")); err != nil || len(mains) > 0 {
		t.Errorf("the folder main has %v, %v", mains, err)
	}
	u.passes(queue)
	if output := u.types(0, "test 10 -mine"); strings.Contains(output, "not stored") {
		t.Errorf("the step has passed before:\n%s", output)
	}
	c := u.command()
	c.mine = true
	if c.stores(queue) || !c.stores(simulation) {
		t.Error("want the result of step 12 only")
	}
}

// A step whose folder has another name is to be started again.
func TestTheNextStepHasNoFolder(t *testing.T) {
	u := newUser(t)
	for _, step := range steps {
		u.copies(step)
		u.passes(step)
	}
	var out strings.Builder
	c := u.command()
	c.Out = &out
	c.sayPassed(simulation)
	u.sees(out.String(), "You have passed every step.")

	if err := os.Rename(u.workspace.path(queue), u.workspace.path(queue)+"-old"); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	c.sayPassed(simulation)
	u.sees(out.String(), "The next step: go run ./learn start 10\n")
	out.Reset()
	c.sayPassed(steps[0])
	u.sees(out.String(), "The next step: go run ./learn start 10\n")
}

// Two processes can store their results at the same time.
func TestUpdatesShareNoFile(t *testing.T) {
	u := newUser(t)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { u.passes(queue) })
	}
	all.Wait()
	if !u.progress().passed(queue) {
		t.Error("the result is lost")
	}
	if files, err := filepath.Glob(filepath.Join(u.workspace.folder, "*")); err != nil || len(files) != 1 {
		t.Errorf("the workspace has %v (error %v), want the progress", files, err)
	}
}
