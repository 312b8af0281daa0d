package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/examples/internal/cluster/clustertest"
)

// The program starts itself as a server; in a test, that is the test binary.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args[1:], "-serve") {
		if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// perPod returns the bytes per pod in a table, by cache.
func perPod(t *testing.T, table string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, row := range regexp.MustCompile(`(?m)^ *(\w+) +\d+ +[\d.]+ MB +(\d+) B`).FindAllStringSubmatch(table, -1) {
		bytes, err := strconv.Atoi(row[2])
		require.NoError(t, err)
		found[row[1]] = bytes
	}
	return found
}

// The output is the one in the README, and its figures are current within a fifth, which
// another version of Go may change.
func TestOutputMatchesReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)```\n(server: .*?)```").FindSubmatch(readme)
	require.NotNil(t, shown)
	var args []string
	if raceDetector { // ten times slower, with a larger heap: check the form only
		args = []string{"-pods", "500"}
	}
	var out strings.Builder
	require.NoError(t, run(t.Context(), args, &out))
	normalized := func(text string) string {
		return regexp.MustCompile(` +[0-9.]*`).ReplaceAllString(text, " ")
	}
	require.Equal(t, normalized(string(shown[1])), normalized(out.String()))

	want, got := perPod(t, string(shown[1])), perPod(t, out.String())
	require.Len(t, got, 4)
	for cache := range want {
		if raceDetector {
			break
		}
		require.InEpsilon(t, want[cache], got[cache], 0.2, "bytes per pod, cache %s", cache)
	}
}

// Pod has all fields of pod.yaml.
func TestPodHasAllFields(t *testing.T) {
	var want map[string]any
	require.NoError(t, yaml.Unmarshal(podYAML, &want))
	var pod Pod
	require.NoError(t, yaml.UnmarshalStrict(podYAML, &pod))
	encoded, err := json.Marshal(pod)
	require.NoError(t, err)
	var back map[string]any
	require.NoError(t, json.Unmarshal(encoded, &back))
	require.Equal(t, want, back)
}

// On a real server it counts the pods there, with exactly the permissions of rbac.yaml.
func TestRealServer(t *testing.T) {
	server := clustertest.NewRestricted(t, nil, rbac)
	require.ErrorContains(t, run(t.Context(), []string{"-kubeconfig", server.Kubeconfig}, io.Discard), "there are no pods")
	apitest.Seed(t, server.Server, 3, func(i int) *Pod {
		return &Pod{ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprint("team-", i), Name: "web"}}
	})
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-kubeconfig", server.Kubeconfig}, &out))
	require.Regexp(t, `\n +slim +3 +`, out.String())
	require.Contains(t, out.String(), "\nWith so few pods, ")
	require.Empty(t, server.Unused())
}

// If a cache cannot be filled, the error has the cache and the reason.
func TestFailuresAreReported(t *testing.T) {
	server := clustertest.NewRestricted(t, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		server.Server.WaitForRequests(ctx, apitest.Match{Resource: "pods"}, 2)
		cancel()
	}()
	err := run(ctx, []string{"-kubeconfig", server.Kubeconfig}, io.Discard)
	require.ErrorContains(t, err, "fill the cache of *unstructured.Unstructured")
	require.ErrorContains(t, err, "pods is forbidden")
}

// After an interrupt, the error is the interrupt, not its consequences.
func TestInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancelCause(t.Context())
	interrupt(errors.New("interrupted"))
	require.EqualError(t, run(ctx, nil, io.Discard), "interrupted")
}

// Wrong arguments are reported in one line; -h is not an error.
func TestInvalidArguments(t *testing.T) {
	for want, args := range map[string][]string{
		`unexpected argument "x": see -h`:          {"x"},
		"flag provided but not defined: -nonsense": {"-nonsense"},
		"-pods 0: at least one is required":        {"-pods", "0"},
		"select one with -kubeconfig":              {"-install"},
	} {
		require.ErrorContains(t, run(t.Context(), args, io.Discard), want)
	}
	var help strings.Builder
	require.ErrorIs(t, run(t.Context(), []string{"-h"}, &help), flag.ErrHelp)
	for _, name := range []string{"-pods", "-serve", "-kubeconfig"} {
		require.Contains(t, help.String(), name)
	}
}
