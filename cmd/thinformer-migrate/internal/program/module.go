package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// A place is where the program is, as the go command finds it.
type place struct{ GOMOD, GOWORK string }

// locate finds the module of a folder. The folder must be that of its go.mod.
func locate(dir string) (place, error) {
	command := exec.Command("go", "env", "-json", "GOMOD", "GOWORK")
	command.Dir = dir
	out, err := command.Output()
	if err != nil {
		return place{}, fmt.Errorf("run go env in %s, which requires the go command and an existing folder: %w", dir, printed(err))
	}
	var found place
	if err := json.Unmarshal(out, &found); err != nil {
		return place{}, fmt.Errorf("read the output of go env: %w", err)
	}
	if found.GOMOD == "" || found.GOMOD == os.DevNull || found.GOMOD == "NUL" {
		return place{}, fmt.Errorf("%s is in no Go module: run the tool in the folder of the program's go.mod", dir)
	}
	if root := filepath.Dir(found.GOMOD); !sameFolder(root, dir) {
		return place{}, fmt.Errorf("%s is not the module's folder: run the tool in %s, where it examines all packages of the module", dir, root)
	}
	return found, nil
}

func sameFolder(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// printed returns the error that a go command has printed.
func printed(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return errors.New(strings.TrimSpace(string(exit.Stderr)))
	}
	if _, text, ok := strings.Cut(err.Error(), "stderr: "); ok { // of package packages
		return errors.New(strings.TrimSpace(text))
	}
	return err
}

// unlisted returns an error for a module whose packages the go command does not list: its
// workspace is wrong, or does not use the module.
func (p *Program) unlisted(found place) error {
	if len(p.Packages) > 0 || len(p.Problems) == 0 {
		return nil
	}
	text := strings.TrimPrefix(p.Problems[0], "-: ")
	if found.GOWORK != "" && found.GOWORK != "off" {
		return fmt.Errorf("list the packages in %s: %s; correct %s, or set GOWORK=off to examine the module without it", p.Dir, text, found.GOWORK)
	}
	return fmt.Errorf("list the packages in %s: %s", p.Dir, text)
}

// notes describe what about the module limits the examination.
func (p *Program) notes(found place) {
	if _, err := os.Stat(filepath.Join(p.Dir, "vendor", "modules.txt")); err == nil {
		p.Vendored = true
		p.Notes = append(p.Notes, "the module has a folder vendor, which the patch does not change: run go mod vendor after go mod tidy. If a package below is said to be missing, run the tool with GOFLAGS=-mod=readonly, which reads the module cache instead.")
	}
	for _, dir := range p.nested() {
		p.Notes = append(p.Notes, fmt.Sprintf("%s has a go.mod of its own and is not examined: run the tool there as well", dir))
	}
	if found.GOWORK != "" && found.GOWORK != "off" {
		p.workspace(found.GOWORK)
	}
	text, err := os.ReadFile(found.GOMOD)
	if err != nil {
		return // the go command has read it
	}
	parsed, err := modfile.ParseLax(found.GOMOD, text, nil)
	if err != nil {
		return // the go command has reported it
	}
	full, err := modfile.Parse(found.GOMOD, text, nil)
	if err == nil {
		parsed = full
	}
	for _, r := range parsed.Replace {
		if strings.HasPrefix(r.Old.Path, "k8s.io/") {
			p.Notes = append(p.Notes, fmt.Sprintf("go.mod replaces %s by %s: go mod tidy keeps this, so the replacement must be compatible with the versions below; remove it if it only selects an older version",
				r.Old.Path, strings.TrimSpace(r.New.Path+" "+r.New.Version)))
		}
	}
}

// nested returns the folders below the module's that are other modules.
func (p *Program) nested() []string {
	var dirs []string
	// An unreadable folder has no module that the go command could read.
	_ = filepath.WalkDir(p.Dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		base := entry.Name()
		if entry.IsDir() && name != p.Dir && (base == "vendor" || base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
			return fs.SkipDir
		}
		if base == "go.mod" && filepath.Dir(name) != p.Dir {
			if short, err := filepath.Rel(p.Dir, filepath.Dir(name)); err == nil {
				dirs = append(dirs, filepath.ToSlash(short))
			}
		}
		return nil
	})
	return dirs
}

// workspace notes the other modules of a workspace, and their versions of client-go.
func (p *Program) workspace(name string) {
	p.Notes = append(p.Notes, fmt.Sprintf("the workspace %s selects the versions; other modules in it are not examined: run the tool in each, or set GOWORK=off", name))
	text, err := os.ReadFile(name)
	if err != nil {
		return // the go command has read it
	}
	parsed, err := modfile.ParseWork(name, text, nil)
	if err != nil {
		return // the go command has reported it
	}
	var versions []string
	for _, use := range parsed.Use {
		file := filepath.Join(filepath.Dir(name), filepath.FromSlash(use.Path), "go.mod")
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the go command reports it
		}
		module, err := modfile.ParseLax(file, text, nil)
		if err != nil {
			continue // the go command reports it
		}
		for _, r := range module.Require {
			if r.Mod.Path == "k8s.io/client-go" && !slices.Contains(versions, r.Mod.Version) {
				versions = append(versions, r.Mod.Version)
			}
		}
	}
	if len(versions) > 1 {
		p.Notes = append(p.Notes, fmt.Sprintf("the modules of the workspace require different versions of client-go: %s; a program that is built outside of the workspace has another one than here", strings.Join(versions, ", ")))
	}
}
