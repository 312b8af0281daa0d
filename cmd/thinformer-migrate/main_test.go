package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var record = flag.Bool("record", false, "write the expected outputs in testdata/")

// Each file of testdata is a program with the expected report and patch. The patch can be
// applied, and the program compiles afterwards with this project. Run with -args -record to
// write the outputs.
func TestPrograms(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	must(t, err)
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			must(t, err)
			dir := moduleOf(t, archive)
			before := snapshot(t, dir)
			outputs := map[string]string{"report": runIn(t, dir), "patch": runIn(t, dir, "-diff")}
			if after := snapshot(t, dir); before != after {
				t.Error("the tool has changed a file")
			}
			var files []txtar.File
			for _, file := range archive.Files {
				if output, ok := outputs[file.Name]; !ok {
					files = append(files, file)
				} else if !*record && output != string(file.Data) {
					t.Errorf("the %s is\n%s\nand not\n%s", file.Name, output, file.Data)
				}
			}
			if *record {
				for _, output := range []string{"report", "patch"} {
					files = append(files, txtar.File{Name: output, Data: []byte(outputs[output])})
				}
				must(t, os.WriteFile(name, txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: files}), 0o644))
			}
			if outputs["patch"] != "" && !testing.Short() {
				applied(t, dir, outputs["patch"])
			}
		})
	}
}

// moduleOf writes the files of a program to a folder. A program without a go.mod requires
// what module interop requires.
func moduleOf(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	own := false
	for _, file := range archive.Files {
		if file.Name == "report" || file.Name == "patch" {
			continue
		}
		own = own || file.Name == "go.mod"
		name := filepath.Join(dir, file.Name)
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, file.Data, 0o644))
	}
	if own {
		return dir
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("../../interop", name))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	shell(t, dir, "go mod edit -module=example.com/user -droprequire=github.com/thinformer/thinformer -dropreplace=github.com/thinformer/thinformer")
	return dir
}

// applied applies a patch, and compiles the program with this checkout.
func applied(t *testing.T, dir, patch string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(dir, "changes.patch"), []byte(patch), 0o644))
	root, err := filepath.Abs("../..")
	must(t, err)
	shell(t, dir, "git apply changes.patch && test -z \"$(gofmt -l .)\"")
	shell(t, dir, "go mod edit -require=github.com/thinformer/thinformer@v0.1.0 -replace=github.com/thinformer/thinformer="+root+
		" -require=github.com/thinformer/thinformer/interop@v0.1.0 -replace=github.com/thinformer/thinformer/interop="+root+"/interop")
	shell(t, dir, "GOFLAGS=-mod=mod go vet ./...")
}

// runIn returns the output of the tool in a folder, in which the folder's name is DIR.
func runIn(t *testing.T, dir string, arguments ...string) string {
	t.Helper()
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-trimpath")
	var out, messages bytes.Buffer
	if err := run(dir, arguments, &out, &messages); err != nil {
		out.WriteString("error: " + err.Error() + "\n")
	}
	return strings.ReplaceAll(out.String()+messages.String(), dir, "DIR")
}

func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	must(t, filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		all.WriteString(name + "\n" + string(text))
		return err
	}))
	return all.String()
}

func shell(t *testing.T, dir, commands string) string {
	t.Helper()
	command := exec.Command("sh", "-ec", commands)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", commands, err, out)
	}
	return string(out)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
