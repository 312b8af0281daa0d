package course

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/catalog"
	"github.com/thinformer/thinformer/learn/internal/chapters"
	"github.com/thinformer/thinformer/learn/internal/program"
)

// workspace is the folder learn/_work of a clone.
type workspace struct {
	root string // of the module
	// folder has the solutions. name is its name in the module, with which the build
	// finds them also if they are in another place.
	folder, name string
	// steps are in their order. Step 0, the map, is not among them.
	steps []catalog.Step
}

func newWorkspace(root string) (*workspace, error) {
	const name = "learn/_work"
	steps, err := catalog.Read(os.DirFS(root))
	return &workspace{root: root, folder: filepath.Join(root, filepath.FromSlash(name)), name: name, steps: steps}, err
}

// theMap is step 0, which has only a chapter.
var theMap = catalog.Step{Number: 0, Name: "map"}

// all returns the steps and the map.
func (w *workspace) all() []catalog.Step { return append([]catalog.Step{theMap}, w.steps...) }

// find returns the step with a number or a name: "4", "04", "listwatch".
func (w *workspace) find(word string) (catalog.Step, bool) {
	number, err := strconv.Atoi(word)
	for _, step := range w.all() {
		if err == nil && step.Number == number || step.Name == word || folderOf(step) == word {
			return step, true
		}
	}
	return catalog.Step{}, false
}

// moduleRoot returns the folder of the module that has the working directory.
func moduleRoot(folder string) (string, error) {
	other := ""
	for at := folder; ; at = filepath.Dir(at) {
		switch module := moduleOf(filepath.Join(at, "go.mod")); module {
		case program.Module:
			return at, nil
		case "":
		default:
			other = module
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if other != "" {
		return "", fail(otherModule, folder, other, program.Module)
	}
	return "", fail(notInModule, folder)
}

// moduleOf returns the module path of a go.mod file, "" if there is none.
func moduleOf(name string) string {
	content, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(content)) {
		if module, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.Trim(strings.TrimSpace(module), `"`)
		}
	}
	return ""
}

// folderOf returns the name of a step's folder: "04-listwatch".
func folderOf(step catalog.Step) string { return fmt.Sprintf("%02d-%s", step.Number, step.Name) }

// shown returns the name of a step's folder from the root on, for messages.
func (w *workspace) shown(step catalog.Step) string { return path.Join(w.name, folderOf(step)) }

// path returns the folder of a step.
func (w *workspace) path(step catalog.Step) string { return filepath.Join(w.folder, folderOf(step)) }

// exists reports whether a step has been started.
func (w *workspace) exists(step catalog.Step) bool {
	_, err := os.Lstat(w.path(step))
	return err == nil
}

// solution returns the Go files of a step by name, without tests.
func (w *workspace) solution(step catalog.Step) (map[string]string, error) {
	info, err := os.Stat(w.path(step))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fail(notStarted, step.Number, w.shown(step))
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fail(notAFolder, w.shown(step))
	}
	files, err := goFiles(w.path(step))
	if err == nil && len(files) == 0 {
		err = fail(noGoFiles, w.shown(step), step.Number)
	}
	return files, err
}

// provided returns the files of the skeleton or of the reference of a step.
func (w *workspace) provided(step catalog.Step, kind string) (map[string]string, error) {
	return goFiles(filepath.Join(w.root, filepath.FromSlash(catalog.Folder), step.Name, kind))
}

// goFiles returns the Go files of a folder by name, without tests.
func goFiles(folder string) (map[string]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		files[name] = string(content)
	}
	return files, nil
}

// chapter returns the file of a step's chapter, from the root on.
func (c *Command) chapter(step catalog.Step) string { return chapters.Path(step, c.language) }

// progress is what the command remembers about the steps, by name.
type progress struct {
	Steps map[string]*stepProgress `json:"steps"`
	// Last is the name of the step of the last start or test.
	Last string `json:"last,omitempty"`
}

type stepProgress struct {
	// Passed of Checks have passed at the last test. Checks is 0 before the first one.
	Passed int `json:"passed"`
	Checks int `json:"checks"`
	Hints  int `json:"hints,omitempty"` // that have been shown
}

func (p *progress) of(step catalog.Step) *stepProgress {
	if p.Steps[step.Name] == nil {
		p.Steps[step.Name] = new(stepProgress)
	}
	return p.Steps[step.Name]
}

// passed reports whether the last test of a step has passed, with all checks of today.
func (p *progress) passed(step catalog.Step) bool {
	at := p.of(step)
	return at.Passed == len(step.Checks) && at.Checks > 0
}

// passed reports whether a step has passed with the folder that it has now.
func (c *Command) passed(p *progress, step catalog.Step) bool {
	return c.workspace.exists(step) && p.passed(step)
}

const progressFile = "progress.json"

// progress returns the stored progress. A file that cannot be read is reported and
// does not prevent anything.
func (c *Command) progress() *progress {
	p := &progress{}
	content, err := os.ReadFile(filepath.Join(c.workspace.folder, progressFile))
	if err == nil {
		err = json.Unmarshal(content, p)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.warn(badProgress, path.Join(c.workspace.name, progressFile), err)
		p = &progress{}
	}
	if p.Steps == nil {
		p.Steps = map[string]*stepProgress{}
	}
	return p
}

// update changes the stored progress.
func (c *Command) update(change func(*progress)) error {
	p := c.progress()
	change(p)
	content, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.workspace.folder, 0o755); err != nil {
		return err
	}
	// A new file with a new name: an interrupted write does not destroy the old one.
	// The name is that of one process, because two tests can end at the same time.
	file, err := os.CreateTemp(c.workspace.folder, progressFile+".*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // fails after the rename
	_, err = file.Write(append(content, '\n'))
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), filepath.Join(c.workspace.folder, progressFile))
}

// sorted returns the names of files in order.
func sorted(files map[string]string) []string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
