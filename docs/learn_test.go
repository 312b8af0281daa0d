package docs_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The README of the course has the list of its steps, as the command prints it in a clone
// in which no step is started.
func TestTheListOfStepsIsInTheREADME(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module github.com/thinformer/thinformer\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const source = "learn/internal/steps"
	steps, err := fs.Sub(repository(t), source)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(folder, source), steps); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "learn.exe")
	if out, err := exec.Command("go", "build", "-o", program, "./learn").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	command := exec.Command(program)
	command.Dir, command.Env = folder, append(os.Environ(), "LEARN_LANG=en")
	list, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"learn/README.md", "learn/README.zh.md"} {
		text, err := fs.ReadFile(repository(t), name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "\n```text\n"+string(list)+"```\n") {
			t.Errorf("%s has no block with the list:\n%s", name, list)
		}
	}
}
