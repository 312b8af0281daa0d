package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// nextVersion returns the version by which the nested modules require the root module. The
// next tags have it. It fails the test if they do not agree.
func nextVersion(t *testing.T) string {
	t.Helper()
	var version string
	for _, folder := range []string{"interop", "bench", "e2e"} {
		name := filepath.Join(repository, folder, "go.mod")
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		parsed, err := modfile.Parse(name, text, nil)
		require.NoError(t, err)
		for _, r := range parsed.Require {
			if r.Mod.Path != rootModule && r.Mod.Path != rootModule+"/interop" {
				continue
			}
			if version == "" {
				version = r.Mod.Version
			}
			require.Equal(t, version, r.Mod.Version, "%s requires %s by another version than the other modules", name, r.Mod.Path)
		}
	}
	require.Empty(t, semver.Prerelease(version), "the nested modules do not require the version of the next tag")
	require.Positive(t, semver.Compare(version, "v0.0.0"), "the nested modules do not require the version of the next tag")
	return version
}

// The promise of docs/compatibility.md: once the tags are published, a module requires
// each module of the repository without a replace directive.
func TestAnEmptyModuleRequiresEachModule(t *testing.T) {
	version := nextVersion(t)
	proxy, cache := t.TempDir(), t.TempDir()
	for _, folder := range []string{".", "interop", "bench", "e2e"} {
		// The other modules come from what the go command has downloaded for this
		// repository. On a new machine it downloads them now.
		download := exec.Command("go", "mod", "download")
		download.Dir = filepath.Join(repository, folder)
		out, err := download.CombinedOutput()
		require.NoErrorf(t, err, "%s", out)
		publish(t, proxy, folder, version)
	}
	proxies := "file://" + filepath.ToSlash(proxy) + "," + downloads(t)

	for _, c := range []struct {
		module  string // the required module
		program string // a program that uses it; it is compiled
		list    string // or packages whose imports are resolved
	}{
		{rootModule, libraryProgram, ""},
		{rootModule + "/interop", interopProgram, ""},
		{rootModule + "/bench", "", rootModule + "/bench/..."},
		{rootModule + "/e2e", "", rootModule + "/e2e/..."},
	} {
		t.Run(filepath.Base(c.module), func(t *testing.T) {
			empty := t.TempDir()
			command(t, empty, proxies, cache, "mod", "init", "example.com/empty")
			command(t, empty, proxies, cache, "get", c.module+"@"+version)
			if c.list != "" {
				require.Contains(t, command(t, empty, proxies, cache, "list", "-deps", c.list), rootModule+"/rest\n")
			} else {
				require.NoError(t, os.WriteFile(filepath.Join(empty, "main.go"), []byte(c.program), 0o600))
				command(t, empty, proxies, cache, "build", "-o", os.DevNull, ".")
			}
			used := command(t, empty, proxies, cache, "list", "-m", "-f", "{{.Version}}{{if .Replace}} replaced{{end}}", rootModule)
			require.Equal(t, version+"\n", used)
		})
	}
}

const libraryProgram = `package main

import (
	"fmt"

	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

func main() {
	client, err := rest.New(&rest.Config{Host: "http://localhost"})
	fmt.Println(client, err, informer.ErrNotRunning)
}
`

const interopProgram = `package main

import (
	"fmt"

	"k8s.io/client-go/tools/cache"

	"github.com/thinformer/thinformer/interop"
)

func main() {
	var store cache.Indexer = interop.Indexer(nil)
	fmt.Println(store)
}
`
