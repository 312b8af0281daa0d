package apirecord

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A Check compares the packages of a module with the files of a folder.
type Check struct {
	Module string   // the path of the module
	Folder string   // the folder of the module
	API    string   // the folder of the recorded files
	Only   []string // the import paths of the packages that are promised; nil means all
	Record bool     // write additions to the files
	Breaks bool     // with Record: write breaks too
}

// Run reports the changes of each package as errors, and writes those that are to be
// recorded.
func (c Check) Run(t *testing.T) {
	t.Helper()
	if err := readFolders(c.Folder); err != nil {
		t.Fatal(err)
	}
	packages, err := Load(c.Folder, c.Module)
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) == 0 {
		t.Fatalf("module %s has no packages", c.Module)
	}
	files := map[string]bool{}
	for path, p := range packages {
		if c.Only != nil && !slices.Contains(c.Only, path) {
			continue
		}
		file := c.file(path)
		files[file] = true
		lines := Lines(p)
		if len(lines) == 0 && !exists(file) {
			continue // a package of documentation only
		}
		c.compare(t, path, file, lines)
	}
	c.stale(t, files)
}

// readFolders reads the folders with Go files. The go command then repeats the test
// when they have changed; it does not notice files that another process reads.
func readFolders(root string) error {
	return filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		hidden := name != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata")
		if err == nil && entry.IsDir() && hidden {
			return fs.SkipDir
		}
		return err
	})
}

// file returns the file of a package: the path within the module, or the last element of
// the module's path for its root.
func (c Check) file(path string) string {
	name := strings.TrimPrefix(strings.TrimPrefix(path, c.Module), "/")
	if name == "" {
		name = filepath.Base(c.Module)
	}
	return filepath.Join(c.API, filepath.FromSlash(name)+".txt")
}

func (c Check) compare(t *testing.T, path, file string, current []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	changes := Compare(strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), current)
	if len(text) == 0 {
		changes = Changes{Additions: current}
	}
	if c.Record && (c.Breaks || len(changes.Breaks) == 0) && len(changes.Breaks)+len(changes.Additions) > 0 {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Join(current, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, line := range changes.Breaks {
		t.Errorf("%s: break of the API, %s\n\tdocs/compatibility.md states when this is allowed; record it with -args -record -breaks", path, line)
	}
	for _, line := range changes.Additions {
		t.Errorf("%s: addition to the API: %s\n\trecord it with -args -record", path, line)
	}
}

// stale reports files without a package.
func (c Check) stale(t *testing.T, files map[string]bool) {
	t.Helper()
	err := filepath.WalkDir(c.API, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || files[file] {
			return err
		}
		if c.Record && c.Breaks {
			return os.Remove(file)
		}
		t.Errorf("%s: break of the API, the package of this file does not exist", file)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
