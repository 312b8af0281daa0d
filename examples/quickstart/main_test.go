package main

import (
	"context"
	"flag"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/examples/internal/cluster/clustertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// steps splits the output into steps, each of which begins with an action of the user.
// Within a step, the order of the handler and the controller varies.
func steps(output string) []string {
	output = regexp.MustCompile(`[0-9.]+m?s\.`).ReplaceAllString(output, "TIME.")
	all := strings.Split(output, "\nyou ")
	for i, step := range all {
		lines := strings.Split(step, "\n")
		slices.Sort(lines)
		all[i] = strings.Join(lines, "\n")
	}
	return all
}

// The output is the one in the README, except for the order within a step.
func TestOutputMatchesReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)```\n(server: .*?)```").FindSubmatch(readme)
	require.NotNil(t, shown)
	var out strings.Builder
	require.NoError(t, run(t.Context(), nil, &out))
	require.Equal(t, steps(string(shown[1])), steps(out.String()))
}

// On a real server, it does the same with exactly the permissions of rbac.yaml, and
// deletes its objects.
func TestRealServer(t *testing.T) {
	server := clustertest.NewRestricted(t, crd, rbac)
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-kubeconfig", server.Kubeconfig}, &out))
	require.Contains(t, out.String(), "\n3 reconciles, 0 errors, ")
	require.Empty(t, server.Unused())
	require.Empty(t, apitest.List(t, server.Server, new(Greeting)))
}

// Without the definition, the error suggests -install, which creates it.
func TestInstall(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	file := clustertest.Kubeconfig(t, srv)
	require.ErrorContains(t, run(t.Context(), []string{"-kubeconfig", file}, io.Discard), "no greetings.example.com: run with -install")
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-kubeconfig", file, "-install"}, &out))
	require.Contains(t, out.String(), "installed: CustomResourceDefinition greetings.example.com\n")
}

// If a step fails, the error has the reason, and the objects are deleted.
func TestFailuresAreReported(t *testing.T) {
	t.Run("reading is forbidden", func(t *testing.T) {
		server := clustertest.NewRestricted(t, crd, []byte(strings.Replace(string(rbac), "verbs: [list, watch]", "verbs: []", 1)))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { // the program would wait until its timeout
			server.Server.WaitForRequests(ctx, apitest.Match{Resource: "greetings"}, 3) // the first request is sent by the installation
			cancel()
		}()
		err := run(ctx, []string{"-kubeconfig", server.Kubeconfig}, io.Discard)
		require.ErrorContains(t, err, "greetings.example.com")
		require.ErrorContains(t, err, "forbidden")
	})
	t.Run("patching is forbidden", func(t *testing.T) {
		server := clustertest.NewRestricted(t, crd, []byte(strings.Replace(string(rbac), "create, patch, delete", "create, delete", 1)))
		err := run(t.Context(), []string{"-kubeconfig", server.Kubeconfig}, io.Discard)
		require.ErrorContains(t, err, `cannot patch resource "greetings"`)
		require.Empty(t, apitest.List(t, server.Server, new(Greeting)))
	})
}

// Wrong arguments are reported in one line; -h is not an error.
func TestInvalidArguments(t *testing.T) {
	for want, args := range map[string][]string{
		`unexpected argument "x": see -h`:          {"x"},
		"flag provided but not defined: -nonsense": {"-nonsense"},
		"select one with -kubeconfig":              {"-install"},
		"no such file":                             {"-kubeconfig", "/no/such/file"},
	} {
		require.ErrorContains(t, run(t.Context(), args, io.Discard), want)
	}
	var help strings.Builder
	require.ErrorIs(t, run(t.Context(), []string{"-h"}, &help), flag.ErrHelp)
	require.Contains(t, help.String(), "-kubeconfig")
}
