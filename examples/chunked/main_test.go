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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/examples/internal/cluster/clustertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// output returns the program's output, with the time and the port of the README.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, run(t.Context(), args, &out))
	text := regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(out.String(), "127.0.0.1:43069")
	return regexp.MustCompile(`Date: .{29}\n`).ReplaceAllString(text, "Date: Sun, 22 Nov 2026 02:02:21 GMT\n")
}

// The output, including every offset, is the one in the README.
func TestOutputMatchesReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```\n(server: .*?)```").FindAllStringSubmatch(string(readme), -1)
	require.Len(t, blocks, 2)
	require.Equal(t, blocks[0][1], output(t))
	require.Equal(t, blocks[1][1], output(t, "-http2"))
}

// The program works over TLS, with HTTP/1.1 and HTTP/2. It does not show tokens, and
// deletes its objects.
func TestRealServer(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{Tokens: map[string]apitest.User{"test": {Name: "a", Groups: []string{"system:masters"}}}})
	defer srv.Close()
	srv.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch"}, Action: apitest.AfterEvents(events, apitest.Cut())})
	for _, args := range [][]string{{}, {"-http2"}} {
		text := output(t, append(args, "-kubeconfig", clustertest.Kubeconfig(t, srv))...)
		require.Contains(t, text, "event 5: DELETED chunked-first")
		require.NotContains(t, text, "Bearer")
		if len(args) == 0 {
			require.Contains(t, text, "> Authorization: (not shown)\n")
		}
	}
}

// The program deletes its objects when interrupted.
func TestInterrupted(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{PlainHTTP: true})
	defer srv.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	srv.Fault(apitest.Fault{Match: apitest.Match{Verb: "patch"}, Action: apitest.Call("interrupt", func(*apitest.Server) { interrupt() })})
	err := run(ctx, []string{"-kubeconfig", clustertest.Kubeconfig(t, srv)}, io.Discard)
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, srv.Requests(apitest.Match{Verb: "delete"}), 4)
	require.Empty(t, apitest.List(t, srv, &ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default"}}))
}

// Wrong arguments are reported in one line.
func TestInvalidArguments(t *testing.T) {
	for want, args := range map[string][]string{
		`unexpected argument "x": see -h`:          {"x"},
		"flag provided but not defined: -nonsense": {"-nonsense"},
		"-install needs a real server":             {"-install"},
		"absent":                                   {"-kubeconfig", filepath.Join(t.TempDir(), "absent")},
	} {
		require.ErrorContains(t, run(t.Context(), args, io.Discard), want)
	}
	var help strings.Builder
	require.True(t, errors.Is(run(t.Context(), []string{"-h"}, &help), flag.ErrHelp))
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, name := range regexp.MustCompile(`(?m)^  (-[a-z0-9-]+)`).FindAllStringSubmatch(help.String(), -1) {
		require.Contains(t, string(readme), "`"+name[1], "the README does not list the flag")
	}
}
