package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// call returns the code, the output and the messages of the tool in a folder.
func call(t *testing.T, dir string, arguments ...string) (code int, out, messages string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(dir, arguments, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// Wrong arguments are said once, with code 2; -h is no error.
func TestArguments(t *testing.T) {
	for _, test := range []struct {
		argument string
		code     int
		once     string
	}{
		{"-h", 0, "usage: thinformer-migrate [-diff]"},
		{"-help", 0, "usage: thinformer-migrate [-diff]"},
		{"-unknown", 2, "flag provided but not defined: -unknown"},
		{"./...", 2, `there is an argument "./..."`},
	} {
		code, out, messages := call(t, t.TempDir(), test.argument)
		if code != test.code || strings.Count(messages, test.once) != 1 || out != "" {
			t.Errorf("%s: code %d, output %q, messages\n%s", test.argument, code, out, messages)
		}
	}
}

// What -diff cannot say in the patch is a message: that it is partial, empty, or has to wait
// for an update.
func TestMessagesOfDiff(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-trimpath")
	const partial, nothing = "does not change everything", "there is nothing to change"
	for name, want := range map[string]struct {
		code      int
		has, lack string
		patch     bool
	}{
		"does-not-compile":  {0, partial, nothing, true},
		"build-constraints": {0, partial, nothing, true},
		"no-client-go":      {0, nothing, partial, false},
		"old-client-go":     {1, "go get k8s.io/client-go@v0.37.2 k8s.io/api@v0.37.2 k8s.io/apimachinery@v0.37.2", nothing, false},
		"generated":         {0, "", "thinformer-migrate:", true},
	} {
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
			must(t, err)
			code, out, messages := call(t, moduleOf(t, archive), "-diff")
			if code != want.code || !strings.Contains(messages, want.has) || strings.Contains(messages, want.lack) || (out != "") != want.patch {
				t.Errorf("code %d, messages\n%s\noutput\n%s", code, messages, out)
			}
		})
	}
}

// A switched module has nothing to change.
func TestSecondRun(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-trimpath")
	archive, err := txtar.ParseFile("testdata/does-not-compile.txtar")
	must(t, err)
	for i := range archive.Files {
		if archive.Files[i].Name != "rest/rest.go" {
			archive.Files[i].Name += ".txt"
		}
	}
	dir := moduleOf(t, archive)
	_, patch, _ := call(t, dir, "-diff")
	applied(t, dir, patch, false)
	const remain = "../thinformer\n  go mod edit -require=github.com/thinformer/thinformer@v0.1.0 -replace=github.com/thinformer/thinformer=../thinformer\n  go mod tidy\n"
	if _, out, _ := call(t, dir); !strings.Contains(out, remain) {
		t.Errorf("the report lacks the commands that remain:\n%s", out)
	}
	shell(t, dir, "git apply -R changes.patch")
	applied(t, dir, patch, true)
	if _, out, _ := call(t, dir); strings.Contains(out, "Commands") {
		t.Error(out)
	}
	code, out, messages := call(t, dir, "-diff")
	if code != 0 || out != "" || strings.Count(messages, "\n") != 1 || !strings.Contains(messages, "nothing to change") {
		t.Errorf("code %d, output %q, messages\n%s", code, out, messages)
	}
}

// A workspace that cannot be read, or that does not use the module, is the error.
func TestBrokenWorkspace(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/user\n\ngo 1.26.0\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644))
	t.Setenv("GOWORK", "")
	t.Setenv("GOFLAGS", "-trimpath")
	for workspace, want := range map[string]string{
		"go 1.26.0\n\nbogus\n":                      "go.work:3: unknown directive: bogus",
		"go 1.26.0\n\nuse (\n\t.\n\t./missing\n)\n": "cannot load module missing listed in go.work file",
		"go 1.26.0\n":                               "does not contain modules listed in go.work",
	} {
		must(t, os.WriteFile(filepath.Join(dir, "go.work"), []byte(workspace), 0o644))
		code, out, messages := call(t, dir)
		if code != 1 || out != "" || strings.Count(messages, want) != 1 || !strings.Contains(messages, "list the packages in "+dir) || strings.Contains(messages, "-: ") {
			t.Errorf("%q: code %d, output %q, messages\n%s", workspace, code, out, messages)
		}
	}
}

// A module with a folder vendor is examined with it, and switched with one command more.
func TestVendoredModule(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-trimpath")
	dir := moduleOf(t, &txtar.Archive{Files: []txtar.File{{Name: "main.go", Data: []byte(`package main

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/workqueue"
)

func main() {
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(nil), 0)
	factory.Core().V1().Pods().Informer()
	workqueue.NewTyped[string]()
}
`)}}})
	shell(t, dir, "GOFLAGS=-mod=mod go mod tidy && go mod vendor")
	code, out, _ := call(t, dir)
	if code != 0 || !strings.Contains(out, "  go mod tidy\n  go mod vendor\n  go vet ./...\n") || !strings.Contains(out, "k8s.io/client-go/informers ->") {
		t.Fatalf("code %d, output\n%s", code, out)
	}
	if testing.Short() {
		return
	}
	_, patch, _ := call(t, dir, "-diff")
	must(t, os.RemoveAll(filepath.Join(dir, "vendor"))) // whose files are not all formatted
	applied(t, dir, patch, true)
	shell(t, dir, "go mod tidy && go mod vendor && go vet ./...")
}
