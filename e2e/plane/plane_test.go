package plane

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/rest/kubeconfig"
)

func start(t *testing.T, options Options) *Plane {
	t.Helper()
	started, err := Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := started.Close(); err != nil {
			t.Error(err)
		}
	})
	return started
}

// get requests a path with a configuration.
func get(t *testing.T, config *rest.Config, path string) ([]byte, error) {
	t.Helper()
	client, err := rest.New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	return client.Get().RequestURI(path).DoRaw(t.Context())
}

// versionOf returns the version that a server reports.
func versionOf(t *testing.T, config *rest.Config) string {
	t.Helper()
	text, err := get(t, config, "/version")
	var info struct{ GitVersion string }
	if err := errors.Join(err, json.Unmarshal(text, &info)); err != nil {
		t.Fatal(err)
	}
	return info.GitVersion
}

func TestPlaneServesUntilItIsClosed(t *testing.T) {
	var log bytes.Buffer
	p := start(t, Options{Log: &log})

	t.Run("pinned version", func(t *testing.T) {
		mod, err := os.ReadFile("../controlplane/go.mod")
		if err != nil {
			t.Fatal(err)
		}
		version := versionOf(t, p.Config(Admin))
		if !strings.HasPrefix(version, "v1.") || !bytes.Contains(mod, []byte("k8s.io/kubernetes "+version)) {
			t.Errorf("the API server reports the version %q, which is not in go.mod", version)
		}
		inProcess := apitest.NewServer(apitest.Options{})
		defer inProcess.Close()
		if reported := versionOf(t, inProcess.Config()); reported != version {
			t.Errorf("apitest reports the version %q, the API server %q", reported, version)
		}
	})
	t.Run("permissions of users", func(t *testing.T) {
		const path = "/api/v1/nodes"
		if _, err := get(t, p.Config(Admin), path); err != nil {
			t.Errorf("admin: %v", err)
		}
		if _, err := get(t, p.Config(Unprivileged), path); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), `"nobody"`) {
			t.Errorf("nobody: %v", err)
		}
		if _, err := get(t, p.Config("unknown"), path); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "system:anonymous") {
			t.Errorf("without a token: %v", err)
		}
		stranger := p.Config(Admin)
		stranger.BearerToken = "stranger"
		if _, err := get(t, stranger, path); !apierrors.IsUnauthorized(err) {
			t.Errorf("with a wrong token: %v", err)
		}
	})
	t.Run("kubeconfig with a context for each user", func(t *testing.T) {
		for context, want := range map[string]User{"": Admin, "admin": Admin, "nobody": Unprivileged} {
			loaded, err := kubeconfig.Load(kubeconfig.Options{Path: p.Kubeconfig, Context: context})
			if err != nil {
				t.Fatal(err)
			}
			if loaded.Config.BearerToken != p.Tokens[want] {
				t.Errorf("context %q is not %s", context, want)
			}
			if _, err := get(t, loaded.Config, "/api"); err != nil {
				t.Errorf("context %q: %v", context, err)
			}
		}
	})
	t.Run("kubectl creates a pod", func(t *testing.T) {
		run := exec.CommandContext(t.Context(), p.Binaries.Kubectl, "--kubeconfig="+p.Kubeconfig, "run", "web", "--image=none")
		// kubectl caches discovery in its user's home, by the server's address: another
		// plane may have had the same port.
		run.Env = append(os.Environ(), "HOME="+t.TempDir())
		if out, err := run.CombinedOutput(); err != nil || string(out) != "pod/web created\n" {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("log", func(t *testing.T) {
		for _, line := range []string{"--- etcd\n", "--- kube-apiserver\n", "Serving securely on 127.0.0.1:"} {
			if !strings.Contains(p.Log(), line) {
				t.Errorf("the log has no %q:\n%s", line, p.Log())
			}
		}
	})
	left := p.remains()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if leftovers := left.leftovers(); len(leftovers) > 0 {
		t.Error(leftovers)
	}
	// Another process may listen at the port by now, but not with a certificate of
	// the plane's authority.
	if _, err := get(t, p.Config(Admin), "/readyz"); err == nil {
		t.Error("the API server still answers")
	}
	if !strings.Contains(log.String(), "Serving securely") {
		t.Error("Options.Log has not received the log")
	}
	if err := p.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

func TestFailedStartReportsWhyAndLeavesNothing(t *testing.T) {
	temporary, err := os.MkdirTemp("", "") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(temporary)
	nothing := filepath.Join(t.TempDir(), "nothing")
	t.Setenv("TMPDIR", temporary)
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("no time"))
	built, err := Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	withoutEtcd, withoutServer := built, built
	withoutEtcd.Etcd, withoutServer.APIServer = nothing, nothing
	failing := built
	if failing.Etcd, err = exec.LookPath("false"); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		name    string
		ctx     context.Context
		options Options
		want    string
	}{
		{"unknown flag", t.Context(), Options{Binaries: built, Flags: []string{"--no-such-flag"}}, "unknown flag: --no-such-flag"},
		{"canceled context", cancelled, Options{Binaries: built}, "no time"},
		{"no etcd", t.Context(), Options{Binaries: withoutEtcd}, "start etcd"},
		{"no API server", t.Context(), Options{Binaries: withoutServer}, "start kube-apiserver"},
		{"etcd that ends", t.Context(), Options{Binaries: failing}, "etcd has ended (exit status 1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Start(c.ctx, c.options)
			if err == nil {
				p.Close()
				t.Fatal("it started")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error lacks %q: %v", c.want, err)
			}
		})
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	long := filepath.Join(temporary, strings.Repeat("long", longestSocket/4))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	if p, err := Start(t.Context(), Options{Binaries: built}); err == nil || !strings.Contains(err.Error(), "set TMPDIR to a shorter one") {
		t.Errorf("folder with a long name: %v, %v", p, err)
	}
	if left, err := os.ReadDir(long); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestEndedReportsTheEndOfTheAPIServer(t *testing.T) {
	p := start(t, Options{})
	select {
	case <-p.Ended():
		t.Fatal("Ended is closed while the API server runs")
	default:
	}
	if err := syscall.Kill(p.remains().APIServer, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-p.Ended()
}

func TestNothingRemainsAfterTheProcessIsKilled(t *testing.T) {
	child, left := startChild(t)
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	left.vanish(t)
}

// The guard may be killed as well.
func TestNoServerRemainsAfterTheGuardIsKilledToo(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a process with its parent")
	}
	child, left := startChild(t)
	defer os.RemoveAll(left.Dir)
	if err := errors.Join(syscall.Kill(left.Guard, syscall.SIGKILL), child.Process.Kill()); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	left.Dir = ""
	left.vanish(t)
}

// startChild starts a process that starts a control plane.
func startChild(t *testing.T) (*exec.Cmd, remains) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"=1")
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill() })
	var left remains
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err := errors.Join(err, json.Unmarshal(line, &left)); err != nil {
		t.Fatal(err)
	}
	if leftovers := left.leftovers(); len(leftovers) != 4 {
		t.Fatalf("a running control plane has three processes and a folder: %q", leftovers)
	}
	return child, left
}

// leftovers returns a line for each process that runs, and for the folder if it exists.
func (r remains) leftovers() (found []string) {
	for name, number := range map[string]int{"etcd": r.Etcd, "kube-apiserver": r.APIServer, "the guard": r.Guard} {
		if runs(number) {
			found = append(found, fmt.Sprintf("%s still runs", name))
		}
	}
	if _, err := os.Stat(r.Dir); err == nil {
		found = append(found, r.Dir+" still exists")
	}
	return found
}

// runs reports whether a process runs. A zombie does not: in some containers the first
// process does not reap orphans.
func runs(number int) bool {
	if syscall.Kill(number, 0) != nil {
		return false
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", number))
	if err != nil {
		return runtime.GOOS != "linux"
	}
	_, state, _ := strings.Cut(string(status), ") ")
	return !strings.HasPrefix(state, "Z")
}

// vanish waits until no process runs and the folder is removed.
func (r remains) vanish(t *testing.T) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(time.Minute)
	for {
		leftovers := r.leftovers()
		if len(leftovers) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatal(leftovers)
		}
	}
}
