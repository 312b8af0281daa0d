package release

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const repository = "../.."

const rootModule = "github.com/thinformer/thinformer"

// publish writes the files of a module proxy for the module in a folder of the repository.
func publish(t *testing.T, proxy, folder, version string) {
	t.Helper()
	goMod, err := os.ReadFile(filepath.Join(repository, folder, "go.mod"))
	require.NoError(t, err)
	m := module.Version{Path: modfile.ModulePath(goMod), Version: version}
	require.Equal(t, path.Join(rootModule, folder), m.Path)
	at := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	require.NoError(t, os.MkdirAll(at, 0o755))
	info, err := json.Marshal(map[string]any{"Version": version, "Time": time.Unix(0, 0).UTC()})
	require.NoError(t, err)
	for name, text := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": info, version + ".mod": goMod} {
		require.NoError(t, os.WriteFile(filepath.Join(at, name), text, 0o644))
	}
	archive, err := os.Create(filepath.Join(at, version+".zip"))
	require.NoError(t, err)
	defer archive.Close()
	require.NoError(t, zip.Create(archive, m, filesOf(t, folder)))
}

// filesOf returns the files of a module as a tag would have them: those that git knows or
// would add, without those of nested modules.
func filesOf(t *testing.T, folder string) []zip.File {
	t.Helper()
	list := exec.Command("git", "ls-files", "-co", "--exclude-standard", "-z", "--", ".")
	list.Dir = filepath.Join(repository, folder)
	out, err := list.Output()
	require.NoError(t, err)
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var nested []string
	for _, name := range names {
		if path.Base(name) == "go.mod" && name != "go.mod" && !strings.Contains(name, "testdata/") {
			nested = append(nested, path.Dir(name)+"/")
		}
	}
	var files []zip.File
	for _, name := range names {
		of := func(folder string) bool { return strings.HasPrefix(name, folder) }
		at := filepath.Join(list.Dir, filepath.FromSlash(name))
		if stat, err := os.Lstat(at); err == nil && stat.Mode().IsRegular() && !slices.ContainsFunc(nested, of) {
			files = append(files, treeFile{name: name, at: at})
		}
	}
	return files
}

// treeFile is a file of the working tree.
type treeFile struct{ name, at string }

func (f treeFile) Path() string                 { return f.name }
func (f treeFile) Lstat() (os.FileInfo, error)  { return os.Lstat(f.at) }
func (f treeFile) Open() (io.ReadCloser, error) { return os.Open(f.at) }

// command runs the go command in a folder, with the given proxy and nothing else.
func command(t *testing.T, folder, proxies, cache string, args ...string) string {
	t.Helper()
	run := exec.Command("go", args...)
	run.Dir = folder
	run.Env = append(os.Environ(),
		"GOWORK=off", "GOFLAGS=-mod=mod -modcacherw -trimpath", "GOPROXY="+proxies, "GOSUMDB=off",
		"GOPRIVATE=", "GONOPROXY=", "GOMODCACHE="+cache)
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	require.NoErrorf(t, run.Run(), "go %s\n%s", strings.Join(args, " "), &out)
	return out.String()
}

// downloads returns the folder of the downloaded modules as a file proxy.
func downloads(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	require.NoError(t, err)
	return "file://" + filepath.ToSlash(filepath.Join(strings.TrimSpace(string(out)), "cache", "download"))
}
