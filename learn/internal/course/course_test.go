package course

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thinformer/thinformer/internal/sourcetree"
	"github.com/thinformer/thinformer/learn/internal/catalog"
)

// user calls the command with a workspace in a folder of its own. The build finds it
// with an overlay, in learn/_test.
type user struct {
	t           *testing.T
	workspace   *workspace
	environment map[string]string
}

func newUser(t *testing.T) *user {
	w := &workspace{root: sourcetree.Root(t), folder: filepath.Join(t.TempDir(), "work"), name: "learn/_test", steps: steps}
	return &user{t: t, workspace: w, environment: map[string]string{}}
}

// types runs the command and returns what it prints.
func (u *user) types(code int, line string) string {
	u.t.Helper()
	return u.typesContext(u.t.Context(), code, line)
}

func (u *user) typesContext(ctx context.Context, code int, line string) string {
	u.t.Helper()
	var out strings.Builder
	c := &Command{
		Out: &out, Err: &out, Folder: u.workspace.root, workspace: u.workspace,
		Getenv: func(name string) string { return u.environment[name] },
	}
	if got := c.Run(ctx, strings.Fields(line)); got != code {
		u.t.Errorf("learn %s ends with code %d, want %d", line, got, code)
	}
	return out.String()
}

// sees fails the test unless the output of a command contains all words.
func (u *user) sees(output string, words ...string) {
	u.t.Helper()
	for _, word := range words {
		if !strings.Contains(output, word) {
			u.t.Errorf("the output does not contain %q:\n%s", word, output)
		}
	}
}

// writes writes a file of the solution of a step.
func (u *user) writes(step catalog.Step, name, content string) {
	u.t.Helper()
	file := filepath.Join(u.workspace.path(step), name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		u.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		u.t.Fatal(err)
	}
}

// copies makes the files of the reference the solution of a step.
func (u *user) copies(step catalog.Step) {
	u.t.Helper()
	files, err := u.workspace.provided(step, "reference")
	if err != nil {
		u.t.Fatal(err)
	}
	if err := os.RemoveAll(u.workspace.path(step)); err != nil {
		u.t.Fatal(err)
	}
	for name, content := range files {
		u.writes(step, name, content)
	}
}

// command returns a command in the user's workspace.
func (u *user) command() *Command { return &Command{workspace: u.workspace, Err: os.Stderr} }

// progress returns the stored progress.
func (u *user) progress() *progress { return u.command().progress() }

// passes stores that all checks of a step have passed.
func (u *user) passes(step catalog.Step) {
	u.t.Helper()
	if err := u.command().store(step, len(step.Checks)); err != nil {
		u.t.Error(err)
	}
}

// steps are those of the course.
var steps = func() []catalog.Step {
	all, err := catalog.Read(os.DirFS("../../.."))
	if err != nil {
		panic(err)
	}
	return all
}()

var queue, simulation = mustFind("workqueue"), mustFind("simulation")

func mustFind(name string) catalog.Step {
	return steps[slices.IndexFunc(steps, func(s catalog.Step) bool { return s.Name == name })]
}

func TestTheListSaysWhatToType(t *testing.T) {
	u := newUser(t)
	first := u.types(0, "")
	u.sees(first, "go run ./learn start 1\n", "learn/chapters/en/00-map.md", "  10 *  workqueue")
	for _, step := range steps {
		u.sees(first, step.Name)
	}
	u.sees(u.types(0, "-zh"), "go run ./learn start 1\n", "learn/chapters/zh/00-map.md", "分钟")

	u.types(0, "start 10")
	u.sees(u.types(0, ""), "60       started", "Next: edit the files in learn/_test/10-workqueue, then type: go run ./learn test 10")
	if err := u.command().store(queue, 3); err != nil {
		t.Fatal(err)
	}
	u.sees(u.types(0, ""), fmt.Sprintf("3 of %d checks pass", len(queue.Checks)), "test 10")
	u.passes(queue)
	u.sees(u.types(0, ""), "60       passed", "Next: go run ./learn start 1\n")
}

func TestStartOverwritesNothing(t *testing.T) {
	u := newUser(t)
	u.sees(u.types(0, "start 10"), "Created: learn/_test/10-workqueue/queue.go", "learn/chapters/en/10-workqueue.md", "go run ./learn test 10")
	u.sees(u.types(1, "start workqueue"), "nothing was changed", "skeleton without changes")
	u.writes(queue, "queue.go", "package workqueue // mine\n")
	u.writes(queue, "more.txt", "")
	u.sees(u.types(1, "start 10-workqueue"), "Files that differ from the skeleton: more.txt, queue.go\n", "mv learn/_test/10-workqueue learn/_test/old-10-workqueue")
	u.sees(u.types(1, "start 10 -zh"), "没有做任何改动", "more.txt, queue.go")
	old := filepath.Join(u.workspace.folder, "old-10-workqueue")
	if err := os.Mkdir(old, 0o755); err != nil {
		t.Fatal(err)
	}
	u.sees(u.types(1, "start 10"), "mv learn/_test/10-workqueue learn/_test/old-10-workqueue-2\n")
	if err := os.Remove(old); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(u.workspace.path(queue), "queue.go")); err != nil || string(content) != "package workqueue // mine\n" {
		t.Errorf("the file is %q, %v", content, err)
	}
	entries, err := os.ReadDir(u.workspace.folder)
	if err != nil || len(entries) != 2 {
		t.Errorf("the workspace has %v (error %v), want the folder of the step and the progress", entries, err)
	}

	u = newUser(t)
	if err := os.MkdirAll(u.workspace.folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(u.workspace.path(queue), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"start", "test", "diff"} {
		u.sees(u.types(1, command+" 10"), "learn/_test/10-workqueue is not a folder")
	}
}

// With several steps that are started, the list names the one of the last command. A step
// whose folder was renamed begins again.
func TestTheListKnowsTheLastCommand(t *testing.T) {
	u := newUser(t)
	u.types(0, "start 1")
	u.types(0, "start 10")
	u.sees(u.types(0, ""), "then type: go run ./learn test 10")
	u.passes(queue)
	u.sees(u.types(0, ""), "60       passed")
	if err := os.Rename(u.workspace.path(queue), u.workspace.path(queue)+"-old"); err != nil {
		t.Fatal(err)
	}
	u.types(0, "start 10")
	if list := u.types(0, ""); strings.Contains(list, "passed\n") {
		t.Errorf("the new folder has passed:\n%s", list)
	}
}

func TestWidth(t *testing.T) {
	if got := width("a 步骤，"); got != 8 {
		t.Errorf("the width is %d, want 8", got)
	}
}

func TestBadArguments(t *testing.T) {
	u := newUser(t)
	for _, c := range []struct {
		line  string
		code  int
		words string
	}{
		{"begin 1", 2, `no command "begin"`},
		{"start", 2, "go run ./learn start 1"},
		{"test", 2, "test needs one step"},
		{"test 1 2", 2, "test needs one step"},
		{"start 13", 2, `no step "13"`},
		{"start -1", 2, "usage"},
		{"hint nothing", 2, `no step "nothing"`},
		{"test 0", 1, "step 0 has nothing to write. Read learn/chapters/en/00-map.md"},
		{"test 10", 1, "step 10 is not started: learn/_test/10-workqueue does not exist. Type: go run ./learn start 10"},
		{"diff 10", 1, "step 10 is not started"},
		{"test 10 -zh", 1, "第 10 步还没有开始：learn/_test/10-workqueue 不存在。请输入：go run ./learn start 10"},
		{"-nothing", 2, "flag provided but not defined: -nothing"},
		{"test 12 -seed x", 2, `the seed is "x"`},
		{"test 12 -seed 0", 2, `the seed is "0"`},
		{"test 11 -seed 3", 2, "-seed is for the test of step 12 only: go run ./learn test 12 -seed 3\n"},
		{"test 11 -seed 3 -zh", 2, "-seed 只用于第 12 步的评测：go run ./learn test 12 -seed 3\n"},
		{"hint 12 -seed 3", 2, "-seed is for the test of step 12 only"},
		{"-h", 0, "usage: go run ./learn"},
		{"help -zh", 0, "用法"},
	} {
		u.sees(u.types(c.code, c.line), c.words)
	}
	if err := os.MkdirAll(u.workspace.path(queue), 0o755); err != nil {
		t.Fatal(err)
	}
	u.sees(u.types(1, "test 10"), "has no Go files")
}

func TestTheLanguageIsThatOfTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		environment map[string]string
		words       string
	}{
		{nil, "you build"},
		{map[string]string{"LANG": "zh_CN.UTF-8"}, "要写的组件"},
		{map[string]string{"LANG": "en_US.UTF-8", "LC_ALL": "zh_TW"}, "要写的组件"},
		{map[string]string{"LANG": "zh_CN.UTF-8", "LEARN_LANG": "en"}, "you build"},
		{map[string]string{"LANG": "de_DE", "LEARN_LANG": "zh"}, "要写的组件"},
	} {
		u := newUser(t)
		u.environment = c.environment
		u.sees(u.types(0, ""), c.words)
	}
}

func TestBrokenProgressPreventsNothing(t *testing.T) {
	u := newUser(t)
	u.types(0, "start 10")
	if err := os.WriteFile(filepath.Join(u.workspace.folder, progressFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	u.sees(u.types(0, ""), "learn/_test/progress.json cannot be read", "started")
}

func TestTheModuleIsFoundFromEachFolder(t *testing.T) {
	root := sourcetree.Root(t)
	for _, folder := range []string{root, filepath.Join(root, "learn", "internal"), filepath.Join(root, "bench")} {
		if got, err := moduleRoot(folder); err != nil || got != root {
			t.Errorf("moduleRoot(%s) = %q, %v; want %s", folder, got, err, root)
		}
	}
	other := t.TempDir()
	run := func() string {
		var out strings.Builder
		c := &Command{Out: &out, Err: &out, Folder: other, Getenv: func(string) string { return "" }}
		if code := c.Run(t.Context(), nil); code != 1 {
			t.Errorf("the exit code is %d, want 1", code)
		}
		return out.String()
	}
	if out := run(); !strings.Contains(out, "is not in a clone") {
		t.Error(out)
	}
	if err := os.WriteFile(filepath.Join(other, "go.mod"), []byte("module example.com/x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := run(); !strings.Contains(out, "belongs to the module example.com/x: run the command in a clone of github.com/thinformer/thinformer") {
		t.Error(out)
	}
}
