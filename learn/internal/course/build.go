package course

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/thinformer/thinformer/learn/internal/catalog"
	"github.com/thinformer/thinformer/learn/internal/program"
	"github.com/thinformer/thinformer/learn/internal/signature"
)

// checkFiles finds mistakes that the compiler would describe in other words: another
// name of the package, and imports that a solution may not have.
func (c *Command) checkFiles(step catalog.Step) error {
	files, err := c.workspace.solution(step)
	if err != nil {
		return err
	}
	for _, name := range sorted(files) {
		shown := path.Join(c.workspace.shown(step), name)
		syntax, err := parser.ParseFile(token.NewFileSet(), name, files[name], parser.PackageClauseOnly)
		if err == nil && syntax.Name.Name != step.Name {
			return fail(wrongPackage, shown, syntax.Name.Name, step.Name)
		}
		var wrong *program.ImportError
		if errors.As(program.CheckImports(shown, files[name]), &wrong) {
			ours, modules := program.Importable()
			return fail(wrongImport, wrong.File, wrong.Line, wrong.Import, modules, ours)
		}
	}
	return nil
}

// build writes the function main of a solution and builds it. Its folder is that of one
// process, because two tests of a step can run at the same time.
func (c *Command) build(ctx context.Context, solution program.Solution, executable string) error {
	step := solution.Step
	mains := filepath.Join(c.workspace.folder, "main")
	if err := os.MkdirAll(mains, 0o755); err != nil {
		return err
	}
	folder, err := os.MkdirTemp(mains, folderOf(step)+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	comment := fmt.Sprintf("Command main judges your solution of step %d. go run ./learn test %d writes it.", step.Number, step.Number)
	if err := os.WriteFile(filepath.Join(folder, "main.go"), program.Main(comment, solution), 0o644); err != nil {
		return err
	}
	overlay, err := c.workspace.overlay()
	if err != nil {
		return err
	}
	main := path.Join(c.workspace.name, "main", filepath.Base(folder))
	err = c.compile(ctx, main, executable, overlay)
	var compile *program.CompileError
	if errors.As(err, &compile) {
		return c.explain(solution, main+"/", compile.Output)
	}
	return err
}

// compile builds a program as program.Build does, and says so if it takes long: the first
// time, it compiles the library too.
func (c *Command) compile(ctx context.Context, folder, executable string, overlay map[string]string) error {
	built := make(chan error, 1)
	go func() { built <- program.Build(ctx, c.workspace.root, folder, executable, overlay) }()
	const patience = 5 * time.Second
	select {
	case err := <-built:
		return err
	case <-time.After(patience):
		c.say(compiling)
		return <-built
	}
}

// overlay returns the files of a workspace that is not in the module. It is empty if the
// go command finds the workspace where it is.
func (w *workspace) overlay() (map[string]string, error) {
	if w.folder == filepath.Join(w.root, filepath.FromSlash(w.name)) {
		return nil, nil
	}
	files := map[string]string{}
	err := filepath.WalkDir(w.folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(w.folder, name)
		files[path.Join(w.name, filepath.ToSlash(relative))] = name
		return err
	})
	return files, err
}

// renamed replaces the folder of the workspace with its name in the module. The go command
// prints the shorter one of the absolute and the relative folder.
func (w *workspace) renamed(output string) string {
	if relative, err := filepath.Rel(w.root, w.folder); err == nil {
		output = strings.ReplaceAll(output, filepath.ToSlash(relative)+"/", w.name+"/")
	}
	return strings.ReplaceAll(output, filepath.ToSlash(w.folder)+"/", w.name+"/")
}

// explain says what the compiler means. It knows the function main in the folder main, and
// the learner does not: an error there is a function that the solution does not have as it
// should.
func (c *Command) explain(solution program.Solution, main, output string) error {
	var lines []string
	output = c.workspace.renamed(filepath.ToSlash(output))
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "# ") || line == "" {
			continue
		}
		if strings.HasPrefix(line, main) {
			if step, function, message, ok := wrongFunction(solution, line); ok {
				declared, err := signature.Of(os.DirFS(c.workspace.root), function)
				if err != nil {
					return err
				}
				return fail(mustExport, step.Name, declared, message)
			}
		}
		lines = append(lines, line)
	}
	return fail(notCompiled, strings.Join(lines, "\n"))
}

// qualified is the path of a package before a name of it.
var qualified = regexp.MustCompile(`"(?:[\w.-]+/)*([\w-]+)"\.`)

var compilerMessage = regexp.MustCompile(`^\S+:\d+:\d+: (.*)$`)

// wrongFunction returns the function of a solution that the function main cannot use.
func wrongFunction(solution program.Solution, line string) (step catalog.Step, function, message string, ok bool) {
	found := compilerMessage.FindStringSubmatch(line)
	if found == nil {
		return step, "", "", false
	}
	for _, part := range solution.Parts {
		for _, function := range part.Step.Functions {
			// The name that the solution's package has in the function main.
			used := part.Name() + "." + function
			if regexp.MustCompile(regexp.QuoteMeta(used) + `\b`).MatchString(found[1]) {
				message := strings.ReplaceAll(found[1], part.Name()+".", part.Step.Name+".")
				message = qualified.ReplaceAllString(message, "$1.")
				return part.Step, function, message, true
			}
		}
	}
	return step, "", "", false
}
