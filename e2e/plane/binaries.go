package plane

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// pinned is the path of the module whose go.mod says what is built.
const pinned = "github.com/thinformer/thinformer/e2e/controlplane"

// programs are what Build makes, and the packages they are made of.
var programs = []struct{ name, from string }{
	{"etcd", "go.etcd.io/etcd/server/v3"},
	{"kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"},
	{"kubectl", "k8s.io/kubernetes/cmd/kubectl"},
}

// Binaries are the paths of the programs of a control plane.
type Binaries struct {
	Etcd, APIServer, Kubectl string
}

// Build makes the programs, unless the user's cache directory has them, and
// tells standard error what takes so long. It is found by the working directory
// which module is meant: e2e/controlplane in the checkout around it.
func Build(ctx context.Context) (Binaries, error) {
	source, err := findSource()
	if err != nil {
		return Binaries{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return Binaries{}, fmt.Errorf("find a place for the control plane's binaries: %w", err)
	}
	recipe, err := readRecipe(ctx, source)
	if err != nil {
		return Binaries{}, err
	}
	return recipe.build(ctx, filepath.Join(cache, "thinformer", "controlplane"))
}

// findSource looks for the pinning module from the working directory upwards:
// tests run in their package's folder.
func findSource() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find e2e/controlplane: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		for _, source := range []string{filepath.Join(dir, "controlplane"), filepath.Join(dir, "e2e", "controlplane")} {
			text, err := os.ReadFile(filepath.Join(source, "go.mod"))
			if err == nil && bytes.HasPrefix(text, []byte("module "+pinned+"\n")) {
				return source, nil
			}
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("find e2e/controlplane, which pins the servers: %s is not in a checkout that has it", start)
		}
	}
}

// recipe is all that decides what the programs come out as.
type recipe struct {
	source string // the pinning module's folder
	flags  []string
	hash   string
}

// versionLine finds the version that the servers are to report. A module in the
// module cache has no tags that a build could ask.
var versionLine = regexp.MustCompile(`(?m)k8s\.io/kubernetes (v(\d+)\.(\d+)\.\d+\S*)`)

func readRecipe(ctx context.Context, source string) (*recipe, error) {
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("read the pins: %w", err)
	}
	sum, err := os.ReadFile(filepath.Join(source, "go.sum"))
	if err != nil {
		return nil, fmt.Errorf("read the pins: %w", err)
	}
	version := versionLine.FindSubmatch(mod)
	if version == nil {
		return nil, fmt.Errorf("read the pins: %s/go.mod does not say which k8s.io/kubernetes", source)
	}
	const stamp = " -X k8s.io/component-base/version."
	made := &recipe{source: source, flags: []string{"-trimpath", fmt.Sprintf(
		"-ldflags=-s -w%[1]sgitVersion=%[2]s%[1]sgitMajor=%[3]s%[1]sgitMinor=%[4]s", stamp, version[1], version[2], version[3])}}

	toolchain, err := exec.CommandContext(ctx, "go", "-C", source, "env", "-json",
		"GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "CGO_ENABLED", "GOEXPERIMENT").Output()
	if err != nil {
		return nil, fmt.Errorf("ask the go command for its version: %w", explained(err))
	}
	parts, err := json.Marshal([]any{mod, sum, made.flags, toolchain})
	if err != nil {
		return nil, fmt.Errorf("name the control plane's binaries: %w", err)
	}
	digest := sha256.Sum256(parts)
	made.hash = hex.EncodeToString(digest[:])[:16]
	return made, nil
}

// build makes in a folder of cache what is not there yet.
func (r *recipe) build(ctx context.Context, cache string) (Binaries, error) {
	dir := filepath.Join(cache, r.hash)
	at := func(name string) string { return filepath.Join(dir, name) }
	all := Binaries{Etcd: at("etcd"), APIServer: at("kube-apiserver"), Kubectl: at("kubectl")}
	if r.complete(dir) {
		return all, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Binaries{}, fmt.Errorf("make a place for the control plane's binaries: %w", err)
	}
	unlock, err := lockFile(ctx, at("lock"))
	if err != nil {
		return Binaries{}, fmt.Errorf("wait for another process that builds the control plane: %w", err)
	}
	defer unlock()
	for _, program := range programs {
		if isProgram(at(program.name)) {
			continue
		}
		if err := r.make(ctx, program.from, at(program.name)); err != nil {
			return Binaries{}, fmt.Errorf("build %s: %w", program.name, err)
		}
	}
	return all, nil
}

func (r *recipe) complete(dir string) bool {
	for _, program := range programs {
		if !isProgram(filepath.Join(dir, program.name)) {
			return false
		}
	}
	return true
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o100 != 0
}

// make builds one program. Its file appears under its name when it is whole; the
// lock makes the name before that this process's own.
func (r *recipe) make(ctx context.Context, from, file string) error {
	unfinished := file + ".unfinished"
	defer os.Remove(unfinished)
	build := exec.CommandContext(ctx, "go", append([]string{"-C", r.source, "build", "-v", "-o", unfinished}, append(r.flags, from)...)...)
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	shown := showProgress(os.Stderr, filepath.Base(file))
	build.Stderr = shown
	err := build.Run()
	if said := shown.end(err == nil); err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	return os.Rename(unfinished, file)
}

// explained has an error of a command say what the command has said.
func explained(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: building the servers needs the go command", err)
	}
	return err
}
