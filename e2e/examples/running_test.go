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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/thinformer/thinformer/e2e/plane"
	"github.com/thinformer/thinformer/rest"
)

// running is a running program and its output on both streams.
type running struct {
	t    *testing.T
	stop func() // ends it as Ctrl-C does; it must exit with 0

	mu   sync.Mutex
	text string
	more chan struct{} // closed on the next output
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

// until waits until the output matches.
func (r *running) until(pattern string) {
	r.t.Helper()
	match := regexp.MustCompile(pattern)
	late := time.NewTimer(2 * time.Minute)
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

// output runs a program to its end and returns its output and its error.
func output(t *testing.T, file string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
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

// asServiceAccount returns a kubeconfig in which an administrator impersonates a
// service account, which has the permissions from rbac.yaml and no others. It waits
// until the server's authorizer lets the account watch a resource: the authorizer
// receives roles and bindings some time after they are created.
func asServiceAccount(t *testing.T, servers *plane.Plane, name, group, resource string) string {
	t.Helper()
	user := "system:serviceaccount:default:" + name
	config := servers.Config(plane.Admin)
	config.Impersonate.UserName = user
	client, err := rest.New(config)
	require.NoError(t, err)
	defer client.Close()
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: "default", Verb: "watch", Group: group, Resource: resource},
	}}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		var answer authorizationv1.SelfSubjectAccessReview
		request := client.GroupVersion(authorizationv1.SchemeGroupVersion).Post().Resource("selfsubjectaccessreviews")
		require.NoError(c, request.Body(review).Do(t.Context()).Into(&answer))
		require.True(c, answer.Status.Allowed, "%+v", answer.Status)
	}, 2*time.Minute, 50*time.Millisecond)

	text, err := os.ReadFile(servers.Kubeconfig)
	require.NoError(t, err)
	token := "token: " + servers.Tokens[plane.Admin] + "\n"
	require.Contains(t, string(text), token)
	file := filepath.Join(t.TempDir(), "kubeconfig")
	impersonating := strings.Replace(string(text), token, token+"    as: "+user+"\n", 1)
	require.NoError(t, os.WriteFile(file, []byte(impersonating), 0o600))
	return file
}
