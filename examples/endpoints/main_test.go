package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/examples/internal/cluster/clustertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The output is the one in the README, with Endpoints and with slices.
func TestOutputMatchesReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	t.Setenv("TMPDIR", t.TempDir())
	for _, args := range [][]string{nil, {"-slices"}} {
		var out strings.Builder
		require.NoError(t, run(t.Context(), args, &out))
		shown := regexp.MustCompile(`wrote \S*/endpoints-\d+/`).ReplaceAllString(out.String(), "wrote /tmp/endpoints-1234/")
		require.Contains(t, string(readme), "```\n"+shown+"```\n")
	}
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	require.Empty(t, left, "the temporary file was not removed")
}

// program is a run of the command against a server.
type program struct {
	t     *testing.T
	srv   *apitest.Server
	file  string
	lines chan string
	stop  func()
}

func startProgram(t *testing.T, srv *apitest.Server, args ...string) *program {
	t.Helper()
	p := &program{t: t, srv: srv, file: filepath.Join(t.TempDir(), "upstreams.conf"), lines: make(chan string, 100)}
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	args = append([]string{"-kubeconfig", clustertest.Kubeconfig(t, srv), "-o", p.file}, args...)
	go func() { ended <- run(ctx, args, p) }()
	p.stop = func() {
		interrupt()
		require.NoError(t, <-ended)
	}
	return p
}

func (p *program) Write(line []byte) (int, error) {
	p.lines <- string(line)
	return len(line), nil
}

// wrote waits until the file was written, and returns it.
func (p *program) wrote() string {
	p.t.Helper()
	for line := range p.lines {
		if strings.HasPrefix(line, "wrote ") {
			break
		}
	}
	return p.read()
}

func (p *program) read() string {
	p.t.Helper()
	text, err := os.ReadFile(p.file)
	require.NoError(p.t, err)
	return string(text)
}

// While the server is down, and after the program has ended, the file keeps its last
// content. After a restart, updates continue.
func TestServerRestarts(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	s := webService{srv, "shop"}
	s.create("10.0.0.1")
	p := startProgram(t, srv, "-n", "shop", "-slices")
	require.Contains(t, p.wrote(), "upstream shop_web_http {\n    server 10.0.0.1:8080;\n}\n")
	for _, pod := range []string{"10.0.0.2", "10.0.0.3"} {
		srv.Stop()
		s.set(pod)
		srv.Start()
		require.Contains(t, p.wrote(), "{\n    server "+pod+":8080;\n}\n")
	}
	p.stop()
	require.Contains(t, p.read(), "server 10.0.0.3:8080;")
}

// The file of an earlier process is kept until the first list.
func TestOldFileIsKeptUntilTheFirstList(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	webService{srv, "default"}.create("10.0.0.1")
	fault := srv.Fault(apitest.Fault{Match: apitest.Match{Resource: "endpoints"}, Action: apitest.Fail(503, 0)})
	p := startProgram(t, srv)
	require.NoError(t, os.WriteFile(p.file, []byte("old content"), 0o600))
	require.NoError(t, srv.WaitForRequests(t.Context(), apitest.Match{Resource: "endpoints"}, 2))
	require.Equal(t, "old content", p.read())
	fault.Remove()
	text := p.wrote()
	require.Contains(t, text, "server 10.0.0.1:8080;")
	p.stop()
}

// A failed write is retried.
func TestFailedWriteIsRetried(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	dir := filepath.Join(t.TempDir(), "missing")
	p := startProgram(t, srv, "-o", filepath.Join(dir, "upstreams.conf"))
	p.file = filepath.Join(dir, "upstreams.conf")
	require.NoError(t, srv.WaitForRequests(t.Context(), apitest.Match{Verb: "watch"}, 1))
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.Contains(t, p.wrote(), "# The endpoints of namespace default")
	p.stop()
}

// Wrong arguments are reported in one line; -h is not an error.
func TestInvalidArguments(t *testing.T) {
	for want, args := range map[string][]string{
		`unexpected argument "x": see -h`:          {"x"},
		"flag provided but not defined: -nonsense": {"-nonsense"},
		"-install needs a real server":             {"-install"},
		`"a\nb" is not a valid namespace`:          {"-n", "a\nb"},
		"no such file":                             {"-kubeconfig", filepath.Join(t.TempDir(), "absent")},
	} {
		require.ErrorContains(t, run(t.Context(), args, io.Discard), want)
	}
	var help strings.Builder
	require.True(t, errors.Is(run(t.Context(), []string{"-h"}, &help), flag.ErrHelp))
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, name := range []string{"-n", "-o", "-slices", "-kubeconfig", "-context", "-in-cluster", "-install"} {
		require.Contains(t, help.String(), "  "+name)
		require.Contains(t, string(readme), "`"+name)
	}
}
