package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/examples/internal/cluster/clustertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// running is a program that serves on loopback.
type running struct {
	t       *testing.T
	address string
	out     *strings.Builder
	// stop ends the program and returns its error.
	stop func() error
}

// start runs the program until stop, or the end of the test.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	r := &running{t: t, out: new(strings.Builder)}
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, append(args, "-address", "127.0.0.1:0"), writer)
		writer.CloseWithError(err)
		ended <- err
	}()
	t.Cleanup(end)
	lines := make([]byte, 1<<10)
	for !strings.Contains(r.out.String(), "stop: ") {
		n, err := reader.Read(lines)
		require.NoError(t, err, r.out)
		r.out.Write(lines[:n])
	}
	go io.Copy(io.Discard, reader) // errors of a real server
	r.address = regexp.MustCompile(`page: (http://\S+)/`).FindStringSubmatch(r.out.String())[1]
	r.stop = func() error {
		end()
		return <-ended
	}
	return r
}

func (r *running) get(path string) string {
	r.t.Helper()
	response, err := http.Get(r.address + path)
	require.NoError(r.t, err)
	defer response.Body.Close()
	require.Equal(r.t, 200, response.StatusCode)
	body, err := io.ReadAll(response.Body)
	require.NoError(r.t, err)
	return string(body)
}

// use uses a control.
func (r *running) use(name, parameters string) (int, Answer) {
	r.t.Helper()
	response, err := http.Post(r.address+"/control/"+name, "application/json", strings.NewReader(parameters))
	require.NoError(r.t, err)
	defer response.Body.Close()
	return response.StatusCode, decode[Answer](r.t, response.Body)
}

// waitFor waits for text in the log.
func (r *running) waitFor(text string) string {
	r.t.Helper()
	for {
		if log := r.get("/log"); strings.Contains(log, text) {
			return log
		}
		require.NoError(r.t, r.t.Context().Err())
	}
}

// The output is the one in the README. The program stops at once, with streams open and
// with callbacks and reconciles that a control has made slow.
func TestOutputMatchesReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	r := start(t)
	want := regexp.MustCompile("(?s)```\n(server: .*?)```").FindStringSubmatch(string(readme))[1]
	require.Equal(t, want, strings.ReplaceAll(r.out.String(), r.address, "http://127.0.0.1:8088"))

	stream, err := http.Get(r.address + "/events")
	require.NoError(t, err)
	defer stream.Body.Close()
	for name, parameters := range map[string]string{"slow": `{"ms": 10000}`, "work": `{"ms": 10000}`, "create": "{}"} {
		code, answer := r.use(name, parameters)
		require.Equal(t, 200, code, answer.Message)
	}
	r.waitFor(`"stage":"worker","kind":"started"`)
	require.NoError(t, r.stop())
	_, err = io.ReadAll(stream.Body)
	require.NoError(t, err)
	http.DefaultClient.CloseIdleConnections()
}

const (
	secretText  = "text-that-is-secret"
	secretToken = "token-that-is-secret"
)

// realServer is a server with TLS and a config map.
func realServer(t *testing.T) *apitest.Server {
	srv := apitest.NewServer(apitest.Options{})
	t.Cleanup(srv.Close)
	apitest.Create(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "theirs"}, Data: map[string]string{"key": secretText}})
	return srv
}

// kubeconfig returns a kubeconfig with a token that must not be shown.
func kubeconfig(t *testing.T, srv *apitest.Server) string {
	file := clustertest.Kubeconfig(t, srv)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	replaced := strings.Replace(string(text), "token: test", "token: "+secretToken, 1)
	require.Contains(t, replaced, secretToken)
	require.NoError(t, os.WriteFile(file, []byte(replaced), 0o600))
	return file
}

// A real server is only read, and the data of its objects is not shown.
func TestRealServerIsOnlyRead(t *testing.T) {
	srv := realServer(t)
	r := start(t, "-kubeconfig", kubeconfig(t, srv))
	require.Contains(t, r.out.String(), "server: "+srv.URL)
	log := r.waitFor("nothing is written without -write")
	require.Contains(t, log, "default/theirs")
	require.NotContains(t, log, secretText)
	require.NotContains(t, log, secretToken)
	require.NotContains(t, log, "creationTimestamp")
	for name, want := range map[string]string{"create": "-write", "burst": "-write", "clear": "-write", "expire": "embedded", "away": "embedded", "restart": "embedded"} {
		code, answer := r.use(name, "{}")
		require.Equal(t, 403, code, name)
		require.False(t, answer.OK)
		require.Contains(t, answer.Message, want)
	}
	code, answer := r.use("cut", "{}")
	require.Equal(t, 200, code, answer.Message)
	require.NoError(t, r.stop())
	for _, request := range srv.Requests(apitest.Match{}) {
		require.Equal(t, "GET", request.Method)
	}
	http.DefaultClient.CloseIdleConnections()
}

// With -write the program changes its own objects, and with -text it shows the text of
// responses, but not the token.
func TestRealServerIsWritten(t *testing.T) {
	srv := realServer(t)
	r := start(t, "-write", "-text", "-kubeconfig", kubeconfig(t, srv))
	code, answer := r.use("create", "{}")
	require.Equal(t, 200, code, answer.Message)
	log := r.waitFor("the copy is created")
	require.Contains(t, log, "creationTimestamp")
	require.NotContains(t, log, secretToken)
	require.NotContains(t, log, "theirs-copy")
	code, answer = r.use("clear", "{}")
	require.Equal(t, 200, code, answer.Message)
	require.NoError(t, r.stop())
	require.Len(t, apitest.List(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default"}}), 1)
	http.DefaultClient.CloseIdleConnections()
}

// An object of another program that has the name of a copy is not changed.
func TestObjectWithTheNameOfACopyIsKept(t *testing.T) {
	srv := realServer(t)
	theirs := &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "mine-copy"}, Data: map[string]string{"key": "kept"}}
	before := apitest.Create(t, srv, theirs)
	r := start(t, "-write", "-kubeconfig", kubeconfig(t, srv))
	r.waitFor("default/mine-copy")
	code, answer := r.use("create", `{"name": "mine"}`)
	require.Equal(t, 200, code, answer.Message)
	r.waitFor(errNoCopy.Error())
	require.NoError(t, r.stop())
	require.Equal(t, before, apitest.Get(t, srv, theirs))
	http.DefaultClient.CloseIdleConnections()
}

// Wrong arguments are reported in one line.
func TestInvalidArguments(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	for want, args := range map[string][]string{
		`unexpected argument "x": see -h`:                         {"x"},
		"flag provided but not defined: -nonsense":                {"-nonsense"},
		"-objects -1: it must be between 0 and 10000":             {"-objects", "-1"},
		`-address "8088": it must be host:port`:                   {"-address", "8088"},
		"is in use: stop the other program, or choose":            {"-address", taken.Addr().String()},
		"-address 127.0.0.1:99999: ":                              {"-address", "127.0.0.1:99999"},
		"-install needs a real server":                            {"-address", "127.0.0.1:0", "-install"},
		"-write and -text are for a real server: use -kubeconfig": {"-write"},
		"absent": {"-address", "127.0.0.1:0", "-kubeconfig", filepath.Join(t.TempDir(), "absent")},
	} {
		err := run(t.Context(), args, io.Discard)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
	}
	var help strings.Builder
	require.True(t, errors.Is(run(t.Context(), []string{"-h"}, &help), flag.ErrHelp))
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, name := range regexp.MustCompile(`(?m)^  (-[a-z0-9-]+)`).FindAllStringSubmatch(help.String(), -1) {
		require.Contains(t, string(readme), "`"+name[1], "the README does not list the flag")
	}
}

// The permissions of rbac.yaml are necessary and sufficient.
func TestPermissions(t *testing.T) {
	server := clustertest.NewRestricted(t, nil, rbac)
	r := start(t, "-write", "-kubeconfig", server.Kubeconfig)
	code, answer := r.use("create", `{"name": "mine"}`)
	require.Equal(t, 200, code, answer.Message)
	r.waitFor("the copy is created")
	for _, name := range []string{"update", "delete", "clear"} {
		code, answer := r.use(name, "{}")
		require.Equal(t, 200, code, answer.Message)
	}
	require.NoError(t, r.stop())
	require.Empty(t, server.Unused())
	http.DefaultClient.CloseIdleConnections()
}
