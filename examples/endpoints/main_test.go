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

// The command does what the README shows, with Endpoints and with slices.
func TestReadmeShowsWhatHappens(t *testing.T) {
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
	require.Empty(t, left, "it leaves its file behind")
}

// program is one that runs on a server of its own.
type program struct {
	t     *testing.T
	srv   *apitest.Server
	file  string
	lines chan string
	stop  func()
}

func started(t *testing.T, srv *apitest.Server, args ...string) *program {
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

// A server that goes away and comes back costs nothing but the time that it was
// away. What the file said last stays, also when the program ends.
func TestSurvivesRestartsOfTheServer(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	s := scene{srv, "shop"}
	s.create("10.0.0.1")
	p := started(t, srv, "-n", "shop", "-slices")
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

// A file of a former process is not touched before the first list is there.
func TestAFormerFileStaysUntilTheFirstList(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	scene{srv, "default"}.create("10.0.0.1")
	away := srv.Fault(apitest.Fault{On: apitest.Match{Resource: "endpoints"}, Do: apitest.Fail(503, 0)})
	p := started(t, srv)
	require.NoError(t, os.WriteFile(p.file, []byte("the former file"), 0o600))
	require.NoError(t, srv.WaitForRequests(t.Context(), apitest.Match{Resource: "endpoints"}, 2))
	require.Equal(t, "the former file", p.read())
	away.Lift()
	text := p.wrote()
	require.Contains(t, text, "server 10.0.0.1:8080;")
	p.stop()
}

// What cannot be written is written later.
func TestAWriteIsRepeated(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	dir := filepath.Join(t.TempDir(), "not yet")
	p := started(t, srv, "-o", filepath.Join(dir, "upstreams.conf"))
	p.file = filepath.Join(dir, "upstreams.conf")
	require.NoError(t, srv.WaitForRequests(t.Context(), apitest.Match{Verb: "watch"}, 1))
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.Contains(t, p.wrote(), "# The endpoints of namespace default")
	p.stop()
}

// Mistakes are told in a line that says what is wrong; -h is none.
func TestMistakes(t *testing.T) {
	for want, args := range map[string][]string{
		`unexpected argument "x": see -h`:          {"x"},
		"flag provided but not defined: -nonsense": {"-nonsense"},
		"-install is for a real server":            {"-install"},
		`no namespace can be called "a\nb"`:        {"-n", "a\nb"},
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
