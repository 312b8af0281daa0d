package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var record = flag.Bool("record", false, "write the expected outputs in testdata/")

// Each file of testdata is a program with the expected report and patch. The patch can be
// applied, and the program compiles afterwards with this project. If there is a file again, it
// is the report on this changed program, up to the differences. Run with -args -record to write
// the outputs.
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
			if outputs["patch"] != "" && !testing.Short() {
				applied(t, dir, outputs["patch"], !strings.Contains(outputs["report"], "does not compile"))
				if has(archive, "again") {
					outputs["again"], _, _ = strings.Cut(runIn(t, dir), "\nDifferences ")
				}
			}
			var files []txtar.File
			for _, file := range archive.Files {
				if output, ok := outputs[file.Name]; !ok {
					if !isOutput(file.Name) {
						files = append(files, file)
					}
				} else if !*record && output != string(file.Data) {
					t.Errorf("the %s is\n%s\nand not\n%s", file.Name, output, file.Data)
				}
			}
			if *record {
				for _, output := range []string{"report", "patch", "again"} {
					if output == "again" && outputs[output] == "" {
						continue
					}
					files = append(files, txtar.File{Name: output, Data: []byte(outputs[output])})
				}
				must(t, os.WriteFile(name, txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: files}), 0o644))
			}
		})
	}
}

func has(archive *txtar.Archive, name string) bool {
	return slices.ContainsFunc(archive.Files, func(file txtar.File) bool { return file.Name == name })
}

func isOutput(name string) bool { return name == "report" || name == "patch" || name == "again" }

// moduleOf writes the files of a program to a folder. A program without a go.mod requires
// what module interop requires.
func moduleOf(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	own := false
	for _, file := range archive.Files {
		if isOutput(file.Name) {
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
func applied(t *testing.T, dir, patch string, compiles bool) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(dir, "changes.patch"), []byte(patch), 0o644))
	root, err := filepath.Abs("../..")
	must(t, err)
	shell(t, dir, "git apply changes.patch && test -z \"$(gofmt -l .)\"")
	if !compiles {
		return
	}
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
	run(dir, arguments, &out, &messages)
	if len(arguments) == 0 || arguments[0] != "-diff" {
		out.WriteString(messages.String())
	}
	return strings.ReplaceAll(out.String(), dir, "DIR")
}

// A folder that is not a module's, and one that does not exist, are errors that say what to
// do.
func TestFoldersThatAreNoModules(t *testing.T) {
	dir := t.TempDir()
	if out := runIn(t, dir); !strings.Contains(out, "run the tool in the folder of the program's go.mod") {
		t.Error(out)
	}
	must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/user\n\ngo 1.26.0\n"), 0o644))
	must(t, os.Mkdir(filepath.Join(dir, "below"), 0o755))
	if out := runIn(t, filepath.Join(dir, "below")); !strings.Contains(out, "where it examines all packages of the module") {
		t.Error(out)
	}
	if out := runIn(t, filepath.Join(dir, "missing")); !strings.Contains(out, "an existing folder") {
		t.Error(out)
	}
}

// A workspace selects the versions of its modules, which may require different ones.
func TestWorkspace(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("go.work", "go 1.26.0\n\nuse (\n\t./a\n\t./b\n)\n\nreplace k8s.io/client-go => ./client-go\n")
	write("client-go/go.mod", "module k8s.io/client-go\n\ngo 1.26.0\n")
	write("client-go/tools/cache/cache.go", "package cache\n")
	write("a/go.mod", "module example.com/a\n\ngo 1.26.0\n\nrequire k8s.io/client-go v0.36.0\n")
	write("a/a.go", "package a\n\nimport _ \"k8s.io/client-go/tools/cache\"\n")
	write("b/go.mod", "module example.com/b\n\ngo 1.26.0\n\nrequire k8s.io/client-go v0.37.2\n")
	t.Setenv("GOWORK", "")
	t.Setenv("GOFLAGS", "-trimpath")
	var out bytes.Buffer
	if code := run(filepath.Join(dir, "a"), nil, &out, &out); code != 0 {
		t.Fatal(code, &out)
	}
	for _, want := range []string{"go.work selects the versions", "require different versions of client-go: v0.36.0, v0.37.2", "module example.com/a in"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report does not contain %q:\n%s", want, out.String())
		}
	}
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
