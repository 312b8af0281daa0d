package course

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/thinformer/thinformer/learn/internal/process"
	"github.com/thinformer/thinformer/learn/internal/program"
)

func TestSkeletonFailsAndReferencePasses(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.types(0, "start 10")
	output := u.types(1, "test 10")
	u.sees(output, "FAIL  "+queue.Checks[0]+"\n      NewWorkQueue returns nil", "The reasons of the first 3 failures", fmt.Sprintf("0 of %d checks pass. A hint: go run ./learn hint 10", len(queue.Checks)))
	if n := strings.Count(output, "returns nil"); n != shownFailures {
		t.Errorf("%d failures are described, want %d:\n%s", n, shownFailures, output)
	}
	u.copies(queue)
	u.sees(u.types(0, "test 10"), "ok    "+queue.Checks[0], fmt.Sprintf("All %d checks pass.", len(queue.Checks)), "go run ./learn diff 10", "go run ./learn start 11")
	u.sees(u.types(0, ""), "passed")
	u.sees(u.types(0, "diff 10"), "Your code is that of the reference.")
}

// The methods of the embedded queue go wrong in different checks.
const misbehaving = `package workqueue

import (
	"bufio"
	"fmt"
	"os"
	"time"

	"github.com/thinformer/thinformer/learn/internal/stack"
)

func NewWorkQueue(base, limit time.Duration) stack.WorkQueue {
	return &wrong{newQueue(base, limit)}
}

type wrong struct{ stack.WorkQueue }

func (w *wrong) Add(key string) {
	for i := range 30 {
		fmt.Println("Add", i, key)
	}
	w.WorkQueue.Add(key)
}

func (w *wrong) Len() int {
	go panic("oh no")
	select {}
}

func (w *wrong) Get() (string, bool) {
	bufio.NewReader(os.Stdin).ReadString('\n')
	return w.WorkQueue.Get()
}

func (w *wrong) Done(string) { os.Exit(3) }

func (w *wrong) ShutDown() {
	w.WorkQueue.ShutDown()
	go func() { select {} }()
}
`

func TestEachWayToGoWrongHasAReason(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.copies(queue)
	for name, content := range mustProvide(t, u) {
		u.writes(queue, name, strings.ReplaceAll(content, "func NewWorkQueue(", "func newQueue("))
	}
	u.writes(queue, "wrong.go", misbehaving)
	output := u.types(1, "test 10")
	u.sees(output, "oh no in wrong.Len", "      your code printed:\n      | Add 0 ", "      | ... (lines left out: ")
}

func mustProvide(t *testing.T, u *user) map[string]string {
	files, err := u.workspace.provided(queue, "reference")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestCodeThatDoesNotCompile(t *testing.T) {
	t.Parallel()
	const signature = "func NewWorkQueue(base time.Duration, limit time.Duration) stack.WorkQueue"
	declared := strings.Replace(signature, "base time.Duration, limit", "base, limit", 1)
	imports := "import (\n\t\"time\"\n\n\t\"github.com/thinformer/thinformer/learn/internal/stack\"\n)\n\n"
	for name, c := range map[string]struct {
		file  string
		words []string
	}{
		"syntax":       {"package workqueue\n\nfunc {\n", []string{"the code does not compile:\nlearn/_test/10-workqueue/queue.go:3:6: "}},
		"type":         {"package workqueue\n\nvar x int = \"a\"\n", []string{"the code does not compile:\nlearn/_test/10-workqueue/queue.go:3:13: "}},
		"no function":  {"package workqueue\n", []string{"package workqueue must export this function:\n\n\t" + declared + "\n", "undefined: workqueue.NewWorkQueue"}},
		"lower case":   {"package workqueue\n\n" + imports + strings.Replace(declared, "New", "new", 1) + " { return nil }\n", []string{"must export this function"}},
		"other result": {"package workqueue\n\n" + imports + "func NewWorkQueue(base time.Duration) stack.WorkQueue { return nil }\n", []string{"must export this function:\n\n\t" + declared, "cannot use workqueue.NewWorkQueue (value of type func(base time.Duration) stack.WorkQueue) as "}},
		"package":      {"package main\n\nfunc main() {}\n", []string{"queue.go: the package is called main, want package workqueue"}},
		"module":       {"package workqueue\n\nimport _ \"golang.org/x/sync/errgroup\"\n", []string{"queue.go:3 imports golang.org/x/sync/errgroup.", "may import the standard library, k8s.io/apimachinery", "of this module learn/internal/stack, listwatch"}},
		"reference":    {"package workqueue\n\nimport _ \"github.com/thinformer/thinformer/learn/internal/reference\"\n", []string{"imports github.com/thinformer/thinformer/learn/internal/reference."}},
		"unknown":      {"package workqueue\n\nimport _ \"nothing\"\n", []string{"package nothing is not in std"}},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			u.writes(queue, "queue.go", c.file)
			u.sees(u.types(1, "test 10"), c.words...)
		})
	}
}

func TestAnInterruptLeavesNothing(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	u := newUser(t)
	u.copies(queue)
	u.writes(queue, "loop.go", "package workqueue\n\nfunc init() {\n\tfor {\n\t}\n}\n")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range time.Tick(5 * time.Millisecond) {
			built, err := filepath.Glob(filepath.Join(temporary, "*", "judge"))
			if err != nil || len(built) > 0 || ctx.Err() != nil {
				cancel()
				return
			}
		}
	}()
	u.sees(u.typesContext(ctx, exitInterrupted, "test 10"), "interrupted")
	cancel()
	<-ended
	if entries, err := os.ReadDir(temporary); err != nil || len(entries) > 0 {
		t.Errorf("the folder for temporary files has %v, %v", entries, err)
	}
}

// The initialization of the package is before the first check.
func TestAnEndlessStartHasAReason(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	var out strings.Builder
	c := &Command{Out: &out, Err: &out, workspace: u.workspace}
	err := c.result(queue, 0, 0, process.ErrLimit)
	if err == nil || !strings.Contains(err.Error(), "no check begins within 15s: an init function") {
		t.Errorf("the error is %v", err)
	}
}

// A part that has passed replaces that of the reference in step 12, and with -mine each
// part that exists.
func TestPartsOfOtherSteps(t *testing.T) {
	u := newUser(t)
	for _, command := range []string{"start 10", "start 11", "start 12"} {
		u.types(0, command)
	}
	var out strings.Builder
	u.passes(queue)
	c := &Command{Out: &out, Err: &out, workspace: u.workspace}
	with, without := c.otherParts(simulation)
	if numbers(with) != "10" || numbers(without) != "11" {
		t.Errorf("the parts of steps %s are used, and those of %s are not", numbers(with), numbers(without))
	}
	c.sayParts([]program.Part{c.part(simulation), c.part(queue)}, without)
	c.sayParts(nil, steps[:2])
	u.sees(out.String(), "your parts: steps 12, 10; all others are those of the reference", "not used, because it has not passed: step 11 (-mine uses it too)", "they have not passed: steps 1, 2 (-mine uses them too)")

	c.mine = true
	if with, without := c.otherParts(simulation); numbers(with) != "10, 11" || len(without) > 0 {
		t.Errorf("with -mine the parts of steps %s are used, and those of %s are not", numbers(with), numbers(without))
	}
	// The skeleton of step 10 does not work, and that of step 12 neither.
	u.sees(u.types(1, "test 12"), "your parts: steps 12, 10;", "FAIL")
}
