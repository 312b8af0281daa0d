package plane

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const (
	// pinned is the path of the modules that pin the servers, without their folders.
	pinned = "github.com/thinformer/thinformer/e2e/"
	// newest is the folder of the module whose servers are built by default.
	newest = "controlplane"
	// choice is the environment variable that names the folder of another one.
	choice = "THINFORMER_CONTROLPLANE"
)

// program is an executable and the package that Build builds it from.
type program struct{ name, from string }

// programs are the programs of a control plane.
var programs = []program{
	{"etcd", "go.etcd.io/etcd/server/v3"},
	{"kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"},
	{"kubectl", "k8s.io/kubernetes/cmd/kubectl"},
}

// Binaries are the paths of the programs of a control plane.
type Binaries struct {
	Etcd, APIServer, Kubectl string
}

// Build builds the programs, unless the user's cache directory has them, and reports its
// progress on standard error. The module that pins them is e2e/controlplane in the
// checkout of the working directory, or the folder beside it that THINFORMER_CONTROLPLANE
// names.
func Build(ctx context.Context) (Binaries, error) {
	folder := cmp.Or(os.Getenv(choice), newest)
	start, err := os.Getwd()
	if err != nil {
		return Binaries{}, fmt.Errorf("find e2e/%s: %w", folder, err)
	}
	source, err := findSource(start, folder)
	if err != nil {
		return Binaries{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return Binaries{}, fmt.Errorf("find a folder for the control plane's binaries: %w", err)
	}
	recipe, err := readRecipe(ctx, source)
	if err != nil {
		return Binaries{}, err
	}
	dir := filepath.Join(cache, "thinformer", "controlplane", recipe.hash)
	if err := recipe.build(ctx, dir, os.Stderr); err != nil {
		return Binaries{}, err
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	return Binaries{Etcd: at("etcd"), APIServer: at("kube-apiserver"), Kubectl: at("kubectl")}, nil
}

// findSource returns the folder of a pinning module. It looks in a folder and its parents,
// since tests run in the folder of their package.
func findSource(start, folder string) (string, error) {
	for dir := start; ; dir = filepath.Dir(dir) {
		for _, source := range []string{filepath.Join(dir, folder), filepath.Join(dir, "e2e", folder)} {
			text, err := os.ReadFile(filepath.Join(source, "go.mod"))
			if err == nil && bytes.HasPrefix(text, []byte("module "+pinned+folder+"\n")) {
				return source, nil
			}
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("find e2e/%s, which pins the servers: %s is not in a checkout that has it (the environment variable %s selects a folder other than %s)", folder, start, choice, newest)
		}
	}
}

// recipe has everything that the built programs depend on.
type recipe struct {
	source   string // the pinning module's folder
	programs []program
	flags    []string
	hash     string
}

// versionLine matches the version that the servers report. A module in the module cache
// has no tags from which a build could take it.
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
		return nil, fmt.Errorf("read the pins: %s/go.mod has no version of k8s.io/kubernetes", source)
	}
	const stamp = " -X k8s.io/component-base/version."
	made := &recipe{source: source, programs: programs, flags: []string{"-trimpath", fmt.Sprintf(
		"-ldflags=-s -w%[1]sgitVersion=%[2]s%[1]sgitMajor=%[3]s%[1]sgitMinor=%[4]s", stamp, version[1], version[2], version[3])}}

	toolchain, err := exec.CommandContext(ctx, "go", "-C", source, "env", "-json",
		"GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "CGO_ENABLED", "GOEXPERIMENT").Output()
	if err != nil {
		return nil, fmt.Errorf("get the version of the go command: %w", withOutput(err))
	}
	parts, err := json.Marshal([]any{mod, sum, made.flags, toolchain})
	if err != nil {
		return nil, fmt.Errorf("hash the inputs of the control plane's binaries: %w", err)
	}
	digest := sha256.Sum256(parts)
	made.hash = hex.EncodeToString(digest[:])[:16]
	return made, nil
}

// build builds the programs that a folder lacks.
func (r *recipe) build(ctx context.Context, dir string, progress io.Writer) error {
	if r.complete(dir) {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create a folder for the control plane's binaries: %w", err)
	}
	lock, err := lockFile(ctx, filepath.Join(dir, "lock"), progress)
	if err != nil {
		return fmt.Errorf("wait for another process that builds the control plane: %w", err)
	}
	defer lock.Close()
	for _, program := range r.programs {
		file := filepath.Join(dir, program.name)
		if isProgram(file) {
			continue
		}
		if err := r.make(ctx, program.from, file, lock, progress); err != nil {
			return fmt.Errorf("build %s: %w", program.name, err)
		}
	}
	return nil
}

// cleanupTimeout bounds the cleanup of a build that is interrupted.
const cleanupTimeout = 10 * time.Second

func (r *recipe) complete(dir string) bool {
	for _, program := range r.programs {
		if !isProgram(filepath.Join(dir, program.name)) {
			return false
		}
	}
	return true
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	// A crash of the machine may leave an empty file.
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o100 != 0 && info.Size() > 0
}

// make builds one program. Its file gets its name when it is complete. The lock makes this
// build the only user of the name before that. The go command has the lock too: if this
// process is killed, no other process writes the file until the go command has ended.
func (r *recipe) make(ctx context.Context, from, file string, lock *os.File, out io.Writer) error {
	unfinished := file + ".unfinished"
	os.Remove(unfinished) // left by a build that was killed: go build would not replace it
	defer os.Remove(unfinished)
	build := exec.CommandContext(ctx, "go", append([]string{"-C", r.source, "build", "-v", "-o", unfinished}, append(r.flags, from)...)...)
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	build.ExtraFiles = []*os.File{lock}
	// After an interrupt the go command removes its temporary folder, which may have a
	// gigabyte. If it is killed, it does not.
	build.Cancel = func() error { return build.Process.Signal(os.Interrupt) }
	build.WaitDelay = cleanupTimeout
	shown := showProgress(out, filepath.Base(file))
	build.Stderr = shown
	err := build.Run()
	if output := shown.end(err == nil); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	return os.Rename(unfinished, file)
}

// withOutput adds the standard error of a command to its error.
func withOutput(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: building the servers needs the go command", err)
	}
	return err
}
