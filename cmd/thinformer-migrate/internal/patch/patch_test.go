package patch

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// git apply makes the second text of the first one, whatever the texts are: also without a
// newline at the end, and for a new file.
func TestGitApplies(t *testing.T) {
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	text := func() []byte {
		var out bytes.Buffer
		for range random.IntN(30) {
			fmt.Fprintf(&out, "%d\n", random.IntN(4))
		}
		if random.IntN(3) == 0 {
			out.WriteString("end")
		}
		return out.Bytes()
	}
	for i := range 60 {
		name := fmt.Sprintf("a file é %d.go", i)
		before, after := text(), append(text(), "more\n"...)
		if i%5 == 0 || len(before) == 0 {
			before = nil
		} else if err := os.WriteFile(filepath.Join(dir, name), before, 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := Write(&out, name, before, after); err != nil {
			t.Fatal(err)
		}
		command := exec.Command("git", "apply", "-")
		command.Dir, command.Stdin = dir, &out
		shown := out.String()
		if said, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git apply: %v: %s\n%s", err, said, shown)
		}
		applied, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(applied, after) {
			t.Fatalf("%q became %q and not %q by\n%s", before, applied, after, shown)
		}
	}
}

// Equal texts have no difference.
func TestEqualTexts(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, "same.go", []byte("a\nb\n"), []byte("a\nb\n")); err != nil || out.Len() != 0 {
		t.Errorf("%v: %s", err, out.String())
	}
}
