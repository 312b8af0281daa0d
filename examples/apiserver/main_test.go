package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/rest/kubeconfig"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// program is a run of the command.
type program struct {
	banner, url, kubeconfig string
	// stop interrupts it and returns its last output.
	stop func() string
}

func startProgram(t *testing.T, args ...string) program {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	read, write := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, args, write)
		write.CloseWithError(err)
		ended <- err
	}()
	lines := bufio.NewReader(read)
	var p program
	for !strings.Contains(p.banner, "coredns") {
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		p.banner += line
	}
	p.url = regexp.MustCompile(`https?://[0-9.:]+`).FindString(p.banner)
	p.kubeconfig = regexp.MustCompile(`KUBECONFIG=(.*)`).FindStringSubmatch(p.banner)[1]
	p.stop = func() string {
		interrupt()
		rest, err := io.ReadAll(lines)
		require.NoError(t, err)
		require.NoError(t, <-ended)
		return string(rest)
	}
	return p
}

// normal replaces the variable parts of the output as in the README.
func normal(text string) string {
	text = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(text, "127.0.0.1:8001")
	return regexp.MustCompile(`KUBECONFIG=.*`).ReplaceAllString(text, "KUBECONFIG=/tmp/apiserver-1234/kubeconfig")
}

// The commands in the README work, and their output is the one in the README.
func TestOutputMatchesReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	p := startProgram(t, "-plain")
	require.Contains(t, string(readme), "```\n"+normal(p.banner)+"```\n")

	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	response, err := client.Get(p.url + "/api/v1/watch/namespaces/kube-system/configmaps/coredns")
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, []string{"chunked"}, response.TransferEncoding)
	events := bufio.NewReader(response.Body)
	next := func() {
		line, err := events.ReadString('\n')
		require.NoError(t, err)
		until := regexp.MustCompile(`^.*?"resourceVersion":"\d+",`).FindString(line)
		require.Contains(t, string(readme), "```\n"+until+"\n```\n", "the README shows another event")
		require.Contains(t, line, "Corefile")
	}
	next()
	patch := regexp.MustCompile(`(?s)curl -X PATCH -H '(.*?): (.*?)' -d '(.*?)'`).FindSubmatch(readme)
	request, err := http.NewRequest(http.MethodPatch, p.url+"/api/v1/namespaces/kube-system/configmaps/coredns", strings.NewReader(string(patch[3])))
	require.NoError(t, err)
	request.Header.Set(string(patch[1]), string(patch[2]))
	patched, err := client.Do(request)
	require.NoError(t, err)
	patched.Body.Close()
	require.Equal(t, 200, patched.StatusCode)
	next()
	require.Equal(t, "\n2 requests; all objects are discarded.\n", p.stop())
	require.NoFileExists(t, p.kubeconfig)
}

// Without credentials in the kubeconfig, kubectl prompts for a password.
func TestKubeconfigNeedsNoPassword(t *testing.T) {
	p := startProgram(t, "-bare")
	loaded, err := kubeconfig.Load(kubeconfig.Options{Path: p.kubeconfig})
	require.NoError(t, err)
	require.NotEmpty(t, loaded.Config.BearerToken)
	p.stop()
}

// The kubeconfig has the server's certificate and the token, and the definitions of
// -crds are served.
func TestKubeconfigTokenAndDefinitions(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("not YAML: ["), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "widgets.yaml"), []byte(`---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
`), 0o600))
	file := filepath.Join(dir, "kubeconfig")
	p := startProgram(t, "-token", "secret", "-crds", dir, "-kubeconfig", file, "-bare")
	require.Contains(t, p.banner, "curl -N -k -H 'Authorization: Bearer secret' https://")
	loaded, err := kubeconfig.Load(kubeconfig.Options{Path: file})
	require.NoError(t, err)
	require.Equal(t, "secret", loaded.Config.BearerToken)
	client, err := rest.New(loaded.Config)
	require.NoError(t, err)
	defer client.Close()
	for _, resource := range []rest.ResourceInfo{
		{GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}},
		{GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}},
	} {
		list, err := rest.NewView[*metav1.PartialObjectMetadata](client, resource).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		for obj, err := range list.Items() {
			require.NoError(t, err)
			t.Errorf("with -bare there is a %s %s", resource.GroupVersionResource.Resource, obj.Name)
		}
	}
	p.stop()
	require.FileExists(t, file)
}

// Wrong arguments are reported in one line; -h is not an error.
func TestInvalidArguments(t *testing.T) {
	bad := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bad, "bad.yaml"), []byte("{"), 0o600))
	for want, args := range map[string][]string{
		`unexpected argument "x": see -h`:          {"x"},
		"flag provided but not defined: -nonsense": {"-nonsense"},
		"listen tcp: address nowhere":              {"-address", "nowhere"},
		"read the definitions":                     {"-crds", filepath.Join(bad, "absent")},
		"bad.yaml: ":                               {"-crds", bad},
		"write a kubeconfig":                       {"-kubeconfig", filepath.Join(bad, "no", "such")},
	} {
		err := run(t.Context(), args, io.Discard)
		require.ErrorContains(t, err, want)
	}
	var help strings.Builder
	require.True(t, errors.Is(run(t.Context(), []string{"-h"}, &help), flag.ErrHelp))
	for _, name := range []string{"-address", "-kubeconfig", "-plain", "-token", "-crds", "-bare"} {
		require.Contains(t, help.String(), name)
	}
}
