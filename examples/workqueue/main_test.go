package main

import (
	"bufio"
	"context"
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/examples/internal/cluster/clustertest"
	"github.com/thinformer/thinformer/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The output is the one in the README.
func TestOutputMatchesReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)```\n(server: .*?)```").FindSubmatch(readme)
	require.NotNil(t, shown)
	var out strings.Builder
	require.NoError(t, run(t.Context(), nil, &out))
	require.Equal(t, string(shown[1]), out.String())
}

// On a real server the program prints the pods until it is interrupted, with exactly the
// permissions of rbac.yaml.
func TestRealServer(t *testing.T) {
	server := clustertest.NewRestricted(t, nil, rbac)
	pod := func(name string) *Pod {
		return &Pod{SlimMeta: rest.SlimMeta{Namespace: "default", Name: name}}
	}
	apitest.Create(t, server.Server, pod("mypod"))
	ctx, interrupt := context.WithCancel(t.Context())
	read, write := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"-kubeconfig", server.Kubeconfig, "-workers", "3", "-fail", "web-1"}, write)
		write.CloseWithError(err)
		ended <- err
	}()
	lines := bufio.NewScanner(read)
	until := func(want string) {
		for lines.Scan() {
			if lines.Text() == want {
				return
			}
		}
		require.FailNow(t, "the output has ended without this line", "%s: %v", want, lines.Err())
	}
	until("Starting Pod controller")
	until("Sync/Add/Update for Pod mypod")
	apitest.Create(t, server.Server, pod("web-0"))
	until("Sync/Add/Update for Pod web-0")
	apitest.Delete(t, server.Server, pod("mypod"))
	until("Pod default/mypod does not exist anymore")
	apitest.Create(t, server.Server, pod("web-1"))
	until("Dropping Pod default/web-1 out of the queue: configured to fail")
	interrupt()
	until("Stopping Pod controller")
	require.NoError(t, <-ended)
	require.Empty(t, server.Unused())
}

// If the cache cannot be filled, the error has the reason.
func TestForbidden(t *testing.T) {
	server := clustertest.NewRestricted(t, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		server.Server.WaitForRequests(ctx, apitest.Match{Resource: "pods"}, 2)
		cancel()
	}()
	err := run(ctx, []string{"-kubeconfig", server.Kubeconfig}, io.Discard)
	require.ErrorContains(t, err, "pods is forbidden")
}

// Wrong arguments are reported in one line; -h is not an error.
func TestInvalidArguments(t *testing.T) {
	for want, args := range map[string][]string{
		`unexpected argument "x": see -h`:          {"x"},
		"flag provided but not defined: -nonsense": {"-nonsense"},
		"-workers 0: at least one is required":     {"-workers", "0"},
		`-fail "mypod": use another name`:          {"-fail", "mypod"},
		"select one with -kubeconfig":              {"-install"},
	} {
		require.ErrorContains(t, run(t.Context(), args, io.Discard), want)
	}
	var help strings.Builder
	require.ErrorIs(t, run(t.Context(), []string{"-h"}, &help), flag.ErrHelp)
	for _, name := range []string{"-workers", "-fail", "-kubeconfig"} {
		require.Contains(t, help.String(), name)
	}
}
