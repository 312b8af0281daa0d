package plane

import (
	"bytes"
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

// pinned is the path of the module whose go.mod says what is built.
const pinned = "github.com/thinformer/thinformer/e2e/controlplane"

// program is what Build makes of a package.
type program struct{ name, from string }

// programs are those of a control plane.
var programs = []program{
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
	start, err := os.Getwd()
	if err != nil {
		return Binaries{}, fmt.Errorf("find e2e/controlplane: %w", err)
	}
	source, err := findSource(start)
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
	dir := filepath.Join(cache, "thinformer", "controlplane", recipe.hash)
	if err := recipe.build(ctx, dir, os.Stderr); err != nil {
		return Binaries{}, err
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	return Binaries{Etcd: at("etcd"), APIServer: at("kube-apiserver"), Kubectl: at("kubectl")}, nil
}

// findSource looks for the pinning module from a folder upwards: tests run in
// that of their package.
func findSource(start string) (string, error) {
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
	source   string // the pinning module's folder
	programs []program
	flags    []string
	hash     string
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
	made := &recipe{source: source, programs: programs, flags: []string{"-trimpath", fmt.Sprintf(
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

// build makes in a folder what is not there yet.
func (r *recipe) build(ctx context.Context, dir string, progress io.Writer) error {
	if r.complete(dir) {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make a place for the control plane's binaries: %w", err)
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

// endsWithin bounds how long a build that is interrupted may clean up.
const endsWithin = 10 * time.Second

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
	// A file that a crash of the machine has emptied is none.
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o100 != 0 && info.Size() > 0
}

// make builds one program. Its file appears under its name when it is whole; the
// lock makes the name before that this build's own. The go command has the lock
// as well: should this process be killed, nobody else writes the file until that
// has ended, too.
func (r *recipe) make(ctx context.Context, from, file string, lock *os.File, out io.Writer) error {
	unfinished := file + ".unfinished"
	os.Remove(unfinished) // half a file of a build that was killed: go build would not touch it
	defer os.Remove(unfinished)
	build := exec.CommandContext(ctx, "go", append([]string{"-C", r.source, "build", "-v", "-o", unfinished}, append(r.flags, from)...)...)
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	build.ExtraFiles = []*os.File{lock}
	// Interrupted, it removes what it has in its temporary folder, a gigabyte
	// perhaps; killed, it would not.
	build.Cancel = func() error { return build.Process.Signal(os.Interrupt) }
	build.WaitDelay = endsWithin
	shown := showProgress(out, filepath.Base(file))
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
