package kubectl

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thinformer/thinformer/e2e/plane"
)

// kubectl works with the program in examples and the kubeconfig that it writes.
func TestSessionsWithExampleServer(t *testing.T) {
	binaries, err := plane.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "apiserver")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/thinformer/thinformer/examples/apiserver").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	flags := map[string][]string{
		"objects.txt": nil,
		"changes.txt": {"-token", "let me in"},
		"proxy.txt":   {"-plain"},
	}
	for _, s := range sessions(t) {
		name := filepath.Base(s.file)
		if _, chosen := flags[name]; !chosen {
			continue
		}
		t.Run(name, func(t *testing.T) {
			at := server{"examples/apiserver", false, startProgram(t, program, flags[name])}
			compare(t, s, at, run(t, s, at, binaries.Kubectl))
		})
	}
}

// untilRead runs its arguments until its input ends. The input of a test ends with the
// test.
const untilRead = `"$@" & read -r nothing; kill $!; wait $!`

// startProgram starts the program and returns its kubeconfig.
func startProgram(t *testing.T, program string, flags []string) (kubeconfig string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", append([]string{"-c", untilRead, "sh", program}, flags...)...)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the program: %v", err)
		}
	})
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		_, file, found := strings.Cut(lines.Text(), "KUBECONFIG=")
		if !found {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	t.Fatalf("the program prints no kubeconfig: %v", lines.Err())
	return ""
}
