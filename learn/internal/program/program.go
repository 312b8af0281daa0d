// Package program writes and builds the programs that judge solutions: a main function
// that replaces parts of the reference with those of a solution and calls judge.Main.
package program

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/thinformer/thinformer/learn/internal/catalog"
)

// Module is the path of the root module.
const Module = "github.com/thinformer/thinformer"

// Part is a package with the functions of a step.
type Part struct {
	Step catalog.Step
	// Folder is from the root of the module on: "learn/_work/04-listwatch".
	Folder string
}

// Solution has the parts that replace those of the reference while a step is judged.
type Solution struct {
	// Name selects the solution in a program with several.
	Name  string
	Step  catalog.Step
	Parts []Part
}

// Main returns the file of package main. With several solutions, the first argument of
// the program is the name of one. comment says what writes the file.
func Main(comment string, solutions ...Solution) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "// %s\npackage main\n\nimport (\n", comment)
	if len(solutions) > 1 {
		fmt.Fprint(&out, "\t\"os\"\n\n")
	}
	// Only the steps that are judged: the first build is shorter.
	imports := []string{quoted("learn/internal/judge"), quoted("learn/internal/reference")}
	for _, solution := range solutions {
		imports = append(imports, quoted(path.Join(catalog.Folder, solution.Step.Name)))
		for _, part := range solution.Parts {
			imports = append(imports, part.Name()+" "+quoted(part.Folder))
		}
	}
	slices.Sort(imports)
	fmt.Fprintf(&out, "%s\n)\n\nfunc main() {\n", strings.Join(slices.Compact(imports), "\n"))
	if len(solutions) == 1 {
		writeSolution(&out, solutions[0])
	} else {
		fmt.Fprint(&out, "name := os.Args[1]\nos.Args = append(os.Args[:1], os.Args[2:]...)\nswitch name {\n")
		for _, solution := range solutions {
			fmt.Fprintf(&out, "case %q:\n", solution.Name)
			writeSolution(&out, solution)
		}
		fmt.Fprint(&out, "}\n")
	}
	fmt.Fprint(&out, "}\n")
	formatted, err := format.Source(out.Bytes())
	if err != nil {
		panic(fmt.Sprintf("%v in\n%s", err, out.String()))
	}
	return formatted
}

// quoted returns the import path of a folder of the module.
func quoted(folder string) string { return strconv.Quote(Module + "/" + folder) }

// Name returns the name of the part's package in function main, such as
// listwatch_04_listwatch.
func (part Part) Name() string {
	letter := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}
	return part.Step.Name + "_" + strings.Map(letter, filepath.Base(part.Folder))
}

func writeSolution(out *bytes.Buffer, solution Solution) {
	fmt.Fprint(out, "parts := reference.Parts()\n")
	for _, part := range solution.Parts {
		for _, function := range part.Step.Functions {
			fmt.Fprintf(out, "parts.%s = %s.%s\n", function, part.Name(), function)
		}
	}
	fmt.Fprintf(out, "judge.Main(%s.Step, parts)\n", solution.Step.Name)
}

// CompileError is the output of a build that has failed.
type CompileError struct{ Output string }

// Error returns what the compiler printed.
func (e *CompileError) Error() string { return e.Output }

// Build builds the package in a folder of the module at root. overlay has files that do
// not exist there, as in go build -overlay, with names relative to root. The folder of the
// executable is also used for temporary files.
func Build(ctx context.Context, root, folder, executable string, overlay map[string]string) error {
	arguments := []string{"build", "-o", executable}
	if len(overlay) > 0 {
		file, err := writeOverlay(root, filepath.Dir(executable), overlay)
		if err != nil {
			return err
		}
		defer os.Remove(file)
		arguments = append(arguments, "-overlay", file)
	}
	command := exec.CommandContext(ctx, "go", append(arguments, "./"+folder)...)
	command.Dir = root
	// An interrupted go command removes its own files; one that is killed does not.
	command.Cancel = func() error {
		if runtime.GOOS == "windows" {
			return command.Process.Kill()
		}
		return command.Process.Signal(os.Interrupt)
	}
	command.WaitDelay = 5 * time.Second
	// The caller removes the folder of the executable: an interrupt at the end of a build
	// leaves files there too.
	if os.Getenv("GOTMPDIR") == "" {
		command.Env = append(os.Environ(), "GOTMPDIR="+filepath.Dir(executable))
	}
	output, err := command.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && len(output) == 0:
		return fmt.Errorf("go build: %w", err)
	case err != nil:
		return &CompileError{string(output)}
	}
	return nil
}

func writeOverlay(root, folder string, overlay map[string]string) (name string, err error) {
	replace := map[string]string{}
	for virtual, real := range overlay {
		replace[filepath.Join(root, filepath.FromSlash(virtual))] = real
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp(folder, "overlay-*.json")
	if err != nil {
		return "", err
	}
	defer file.Close()
	_, err = file.Write(text)
	return file.Name(), err
}
