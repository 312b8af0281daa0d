package course

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/catalog"
)

// start creates the folder of a step with its skeleton. It does not change one that
// exists.
func (c *Command) start(_ context.Context, step catalog.Step) error {
	skeleton, err := c.workspace.provided(step, "skeleton")
	if err != nil {
		return err
	}
	if c.workspace.exists(step) {
		return c.refuse(step, skeleton)
	}
	if err := os.MkdirAll(c.workspace.folder, 0o755); err != nil {
		return err
	}
	// The folder gets its name when it is complete.
	incomplete, err := os.MkdirTemp(c.workspace.folder, ".start")
	if err != nil {
		return err
	}
	defer os.RemoveAll(incomplete)
	for name, content := range skeleton {
		if err := os.WriteFile(filepath.Join(incomplete, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	if err := os.Chmod(incomplete, 0o755); err != nil {
		return err
	}
	if err := os.Rename(incomplete, c.workspace.path(step)); err != nil {
		return err
	}
	err = c.update(func(p *progress) {
		p.Last = step.Name
		// A folder that was renamed has been judged, and this one has not.
		p.of(step).Passed, p.of(step).Checks = 0, 0
	})
	c.say(started, path.Join(c.workspace.shown(step), strings.Join(sorted(skeleton), ", ")), c.chapter(step), step.Number)
	return err
}

// refuse says what is in the folder of a step that has been started.
func (c *Command) refuse(step catalog.Step, skeleton map[string]string) error {
	shown := c.workspace.shown(step)
	info, err := os.Stat(c.workspace.path(step))
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fail(notAFolder, shown)
	}
	changed, err := changedFiles(c.workspace.path(step), skeleton)
	if err != nil {
		return err
	}
	if len(changed) == 0 {
		return fail(join(exists, existsUnchanged), shown, step.Number)
	}
	return fail(join(exists, existsChanged), shown, strings.Join(changed, ", "), shown, c.workspace.unused("old-"+folderOf(step)))
}

// unused returns a name in the workspace that nothing has: mv would move a folder into one
// that exists.
func (w *workspace) unused(name string) string {
	free := name
	for i := 2; ; i++ {
		if _, err := os.Lstat(filepath.Join(w.folder, free)); err != nil {
			return path.Join(w.name, free)
		}
		free = fmt.Sprintf("%s-%d", name, i)
	}
}

// changedFiles returns the names of the files that are not those of the skeleton: with
// another content, additional or missing.
func changedFiles(folder string, skeleton map[string]string) (changed []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	present := map[string]bool{}
	for _, entry := range entries {
		name := entry.Name()
		present[name] = true
		content, err := os.ReadFile(filepath.Join(folder, name))
		want, known := skeleton[name]
		if !known || err != nil || string(content) != want {
			changed = append(changed, name)
		}
	}
	for _, name := range sorted(skeleton) {
		if !present[name] {
			changed = append(changed, name)
		}
	}
	return changed, nil
}
