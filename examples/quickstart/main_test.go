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

// steps are the steps of a story, each of which begins with what you do. Within
// one the handler and the controller take turns as they like.
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

// The README shows what comes out, but for the order within a step.
func TestReadmeShowsWhatHappens(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)```\n(server: .*?)```").FindSubmatch(readme)
	require.NotNil(t, shown)
	var out strings.Builder
	require.NoError(t, run(t.Context(), nil, &out))
	require.Equal(t, steps(string(shown[1])), steps(out.String()))
}

// On a server that is not its own it does the same, with no other rights than
// those of rbac.yaml, each of which it needs; and leaves nothing behind.
func TestOnARealServer(t *testing.T) {
	server := clustertest.NewRestricted(t, crd, rbac)
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-kubeconfig", server.Kubeconfig}, &out))
	require.Contains(t, out.String(), "\n3 reconciles, 0 errors, ")
	require.Empty(t, server.Unused())
	require.Empty(t, apitest.List(t, server.Server, new(Greeting)))
}

// Where the definition is missing it says what to do, and -install does it.
func TestInstall(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	file := clustertest.Kubeconfig(t, srv)
	require.ErrorContains(t, run(t.Context(), []string{"-kubeconfig", file}, io.Discard), "no greetings.example.com: run with -install")
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-kubeconfig", file, "-install"}, &out))
	require.Contains(t, out.String(), "installed: CustomResourceDefinition greetings.example.com\n")
}

// A story that comes to no good end says why, and leaves nothing behind.
func TestTroubleIsTold(t *testing.T) {
	t.Run("reading is not allowed", func(t *testing.T) {
		server := clustertest.NewRestricted(t, crd, []byte(strings.Replace(string(rbac), "verbs: [list, watch]", "verbs: []", 1)))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { // what it would wait for in vain
			server.Server.WaitForRequests(ctx, apitest.Match{Resource: "greetings"}, 2)
			cancel()
		}()
		err := run(ctx, []string{"-kubeconfig", server.Kubeconfig}, io.Discard)
		require.ErrorContains(t, err, "greetings.example.com")
		require.ErrorContains(t, err, "forbidden")
	})
	t.Run("changing is not allowed", func(t *testing.T) {
		server := clustertest.NewRestricted(t, crd, []byte(strings.Replace(string(rbac), "create, patch, delete", "create, delete", 1)))
		err := run(t.Context(), []string{"-kubeconfig", server.Kubeconfig}, io.Discard)
		require.ErrorContains(t, err, `cannot patch resource "greetings"`)
		require.Empty(t, apitest.List(t, server.Server, new(Greeting)))
	})
}

// Mistakes are told in a line that says what is wrong; -h is none.
func TestMistakes(t *testing.T) {
	for want, args := range map[string][]string{
		`unexpected argument "x": see -h`:          {"x"},
		"flag provided but not defined: -nonsense": {"-nonsense"},
		"say which with -kubeconfig":               {"-install"},
		"no such file":                             {"-kubeconfig", "/no/such/file"},
	} {
		require.ErrorContains(t, run(t.Context(), args, io.Discard), want)
	}
	var help strings.Builder
	require.ErrorIs(t, run(t.Context(), []string{"-h"}, &help), flag.ErrHelp)
	require.Contains(t, help.String(), "-kubeconfig")
}
