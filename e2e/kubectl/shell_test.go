package kubectl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stepTime is the timeout of a command. On an idle machine none takes a second.
const stepTime = 4 * time.Minute

// awaitScript waits until a file has a number of lines, for a minute or more.
const awaitScript = `#!/bin/sh
for try in $(seq 1200); do
	[ "$(cat "$2" 2>/dev/null | wc -l)" -ge "$1" ] && exit
	sleep 0.05
done
echo "await: $2 does not have $1 lines:"
cat "$2"
exit 1
`

// shell runs the steps of one session at one server.
type shell struct {
	dir, kubectl string
	// groups receives the process group of each step. Processes in the background are
	// killed at the end of the shell or of this process.
	groups io.Writer
}

// endScript kills the process groups in its input at the end of the input.
const endScript = `
while read -r group; do groups="$groups $group"; done
for group in $groups; do kill -9 "-$group" 2>/dev/null; done
exit 0
`

// newShell returns a shell for a server, with its own kubeconfig and home: kubectl caches
// discovery in the home.
func newShell(t *testing.T, kubectl, kubeconfig string) *shell {
	t.Helper()
	s := &shell{dir: t.TempDir(), kubectl: kubectl}
	itself, err := os.Executable()
	err = errors.Join(err,
		os.WriteFile(filepath.Join(s.dir, "kubeconfig"), []byte(kubeconfig), 0o600),
		os.Mkdir(filepath.Join(s.dir, "bin"), 0o700),
		os.Mkdir(filepath.Join(s.dir, "work"), 0o700),
		os.Mkdir(filepath.Join(s.dir, "tmp"), 0o700),
		os.WriteFile(filepath.Join(s.dir, "bin", "await"), []byte(awaitScript), 0o700),
		os.Symlink(kubectl, filepath.Join(s.dir, "bin", "kubectl")),
		os.Symlink(itself, filepath.Join(s.dir, "bin", "curl")),
	)
	if err != nil {
		t.Fatal(err)
	}
	end := exec.Command("/bin/sh", "-c", endScript)
	end.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := end.StdinPipe()
	if err := errors.Join(err, end.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		pipe.Close()
		if err := end.Wait(); err != nil {
			t.Error(err)
		}
	})
	s.groups = pipe
	return s
}

// run returns the normalized output of a command.
func (s *shell) run(ctx context.Context, command string) string {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Dir = filepath.Join(s.dir, "work")
	cmd.Env = []string{
		"PATH=" + filepath.Join(s.dir, "bin") + ":/usr/local/bin:/usr/bin:/bin",
		"HOME=" + s.dir,
		"TMPDIR=" + filepath.Join(s.dir, "tmp"),
		"KUBECONFIG=" + filepath.Join(s.dir, "kubeconfig"),
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	err := cmd.Start()
	if err == nil {
		_, writeErr := fmt.Fprintln(s.groups, cmd.Process.Pid)
		err = errors.Join(cmd.Wait(), writeErr)
	}
	text := trimmed(printed.String())
	if err != nil {
		text += err.Error() + "\n"
	}
	return s.normalized(text)
}

// varying matches the text that differs in each run.
var varying = []struct {
	form *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "<time>"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<uid>"},
	{regexp.MustCompile(`(resourceVersion"?: ?)"\d+"`), `$1"<version>"`},
	{regexp.MustCompile(`(?m) {3,}\d+(s|m|m\d+s)$`), "   <age>"},
	{regexp.MustCompile(`(?m) {3,}\d+(s|m|m\d+s) {3,}`), "   <age>   "},
	{regexp.MustCompile(`https?://127\.0\.0\.1:\d+`), "<server>"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "<address>"},
	{regexp.MustCompile(`(?m)^([EWI])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ (\w+\.go):\d+\]`), "$1 $2]"},
	{regexp.MustCompile(`(?m)^Context "\w+" modified\.$`), `Context "<context>" modified.`},
	{regexp.MustCompile(`kubectl-edit-\d+`), "kubectl-edit-<number>"},
}

func (s *shell) normalized(text string) string {
	text = strings.ReplaceAll(text, s.dir, "<dir>")
	for _, v := range varying {
		text = v.form.ReplaceAllString(text, v.name)
	}
	return text
}

// server is a server that sessions run with.
type server struct {
	name       string
	real       bool
	kubeconfig string
}

// run runs a session with a server and returns the output of each step.
func run(t *testing.T, s *session, at server, kubectl string) []string {
	t.Helper()
	shell := newShell(t, kubectl, at.kubeconfig)
	printed := make([]string, len(s.steps))
	for i, step := range s.steps {
		printed[i] = shell.run(t.Context(), step.command)
	}
	return printed
}

// compare reports each step whose output differs from the file.
func compare(t *testing.T, s *session, at server, printed []string) {
	t.Helper()
	for i, step := range s.steps {
		if want := step.expected(at.real); printed[i] != want {
			t.Errorf("%s:%d: with %s\n$ %s\ngot:\n%s\nwant:\n%s", s.file, step.line, at.name, step.command, printed[i], want)
		}
	}
}

// kubeconfigOf returns a kubeconfig with one user and one server.
func kubeconfigOf(host, caData, token string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: admin
clusters: [{name: server, cluster: {server: %q, certificate-authority-data: %q}}]
users: [{name: admin, user: {token: %q}}]
contexts: [{name: admin, context: {cluster: server, user: admin, namespace: default}}]
`, host, caData, token)
}
