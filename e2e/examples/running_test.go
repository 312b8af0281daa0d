package examples

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/e2e/plane"
)

// running is a program that runs, and what it has printed to either stream.
type running struct {
	t    *testing.T
	stop func() // ends it as Ctrl-C would, which must be no failure

	mu   sync.Mutex
	text string
	more chan struct{} // closed when there is more
}

// Write implements io.Writer.
func (r *running) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text += string(p)
	close(r.more)
	r.more = make(chan struct{})
	return len(p), nil
}

// until waits until what was printed matches.
func (r *running) until(pattern string) {
	r.t.Helper()
	match := regexp.MustCompile(pattern)
	late := time.NewTimer(time.Minute)
	defer late.Stop()
	for {
		r.mu.Lock()
		text, more := r.text, r.more
		r.mu.Unlock()
		if match.MatchString(text) {
			return
		}
		select {
		case <-more:
		case <-late.C:
			require.Regexp(r.t, pattern, text)
		}
	}
}

// start runs a program until stop, or the end of the test.
func start(t *testing.T, file string, args ...string) *running {
	t.Helper()
	r := &running{t: t, more: make(chan struct{})}
	cmd := exec.Command("/bin/sh", append([]string{"-c", untilRead, "sh", file}, args...)...)
	cmd.Stdout, cmd.Stderr = r, r
	input, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	r.stop = sync.OnceFunc(func() {
		input.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s %s: %v\n%s", filepath.Base(file), strings.Join(args, " "), err, r.text)
		}
	})
	t.Cleanup(r.stop)
	return r
}

// output runs a program to its end, which is a failure or not.
func output(t *testing.T, file string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, file, args...).CombinedOutput()
	return string(out), err
}

// startPlane starts the servers for a test.
func startPlane(t *testing.T) *plane.Plane {
	t.Helper()
	servers, err := plane.Start(t.Context(), plane.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, servers.Close()) })
	return servers
}

// asServiceAccount is a kubeconfig by which an administrator acts in the name of a
// service account: with the rights that rbac.yaml gives to that, and no others.
func asServiceAccount(t *testing.T, servers *plane.Plane, name string) string {
	t.Helper()
	text, err := os.ReadFile(servers.Kubeconfig)
	require.NoError(t, err)
	token := "token: " + servers.Tokens[plane.Admin] + "\n"
	require.Contains(t, string(text), token)
	file := filepath.Join(t.TempDir(), "kubeconfig")
	acting := strings.Replace(string(text), token, token+"    as: system:serviceaccount:default:"+name+"\n", 1)
	require.NoError(t, os.WriteFile(file, []byte(acting), 0o600))
	return file
}
