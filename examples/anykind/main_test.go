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
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/examples/internal/cluster/clustertest"
	"github.com/thinformer/thinformer/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ageless replaces the ages in a table by 0s.
func ageless(text string) string { return regexp.MustCompile(`\b\d+s\b`).ReplaceAllString(text, "0s") }

// The output is the one in the README.
func TestOutputMatchesReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, run(t.Context(), nil, &out, io.Discard))
	require.Contains(t, string(readme), "```\n"+ageless(out.String())+"```\n")
}

// A resource has several names, and flags may be on both sides of it.
func TestNamesOfOneResource(t *testing.T) {
	for _, name := range []string{"deploy", "deployment", "deployments", "Deployment", "deployments.apps", "deployments.v1.apps"} {
		var out strings.Builder
		require.NoError(t, run(t.Context(), []string{"-A", name, "-once"}, &out, io.Discard), name)
		require.Equal(t, "EVENT      NAMESPACE   NAME    READY   UP-TO-DATE   AVAILABLE   AGE\n"+
			"           default     large   9/9     9            9           0s\n"+
			"           default     small   0/1     0            0           0s\n", ageless(out.String()), name)
	}
}

// The demonstration works with any kind, with known columns and without.
func TestAnyKind(t *testing.T) {
	for _, name := range []string{"po", "nodes", "ns", "cm", "secrets", "lease", "crd", "roles", "events.v1.events.k8s.io", "netpol"} {
		var out strings.Builder
		require.NoError(t, run(t.Context(), []string{name}, &out, io.Discard), name)
		if name != "crd" {
			require.Regexp(t, `(?s)^EVENT .*\nADDED .*\nMODIFIED .*\nDELETED [^\n]*\n$`, out.String(), name)
		}
	}
	var out, messages strings.Builder
	require.NoError(t, run(t.Context(), []string{"po", "-l", "app!=demo"}, &out, &messages))
	require.Empty(t, out.String())
	require.Contains(t, messages.String(), "there are no pods in namespace default\n")
}

// lines is a writer that tests can wait for.
type lines struct {
	t    *testing.T
	mu   sync.Mutex
	text string
	more chan struct{} // closed on the next write
}

func newLines(t *testing.T) *lines { return &lines{t: t, more: make(chan struct{})} }

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text += string(p)
	close(l.more)
	l.more = make(chan struct{})
	return len(p), nil
}

// until waits until the output matches.
func (l *lines) until(pattern string) {
	l.t.Helper()
	match := regexp.MustCompile(pattern)
	late := time.NewTimer(20 * time.Second)
	defer late.Stop()
	for {
		l.mu.Lock()
		text, more := l.text, l.more
		l.mu.Unlock()
		if match.MatchString(text) {
			return
		}
		select {
		case <-more:
		case <-late.C:
			require.Regexp(l.t, pattern, text)
		}
	}
}

// program is a run of the command against a server.
type program struct {
	out, messages *lines
	ended         chan error
	stop          func()
}

func startProgram(t *testing.T, srv *apitest.Server, args ...string) *program {
	t.Helper()
	p := &program{out: newLines(t), messages: newLines(t), ended: make(chan error, 1)}
	ctx, interrupt := context.WithCancel(t.Context())
	args = append([]string{"-kubeconfig", clustertest.Kubeconfig(t, srv)}, args...)
	go func() { p.ended <- run(ctx, args, p.out, p.messages) }()
	p.stop = func() {
		interrupt()
		require.NoError(t, <-p.ended)
	}
	return p
}

func parsed(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	obj := new(unstructured.Unstructured)
	inJSON, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	require.NoError(t, obj.UnmarshalJSON(inJSON)) // with int64, as from a server
	return obj
}

func config(t *testing.T, namespace, name, labels string) *unstructured.Unstructured {
	return parsed(t, "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: "+namespace+", name: "+name+", labels: {"+labels+"}}}")
}

// The selection applies before and after a restart of the server.
func TestSelection(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	apitest.Create(t, srv, config(t, "a", "one", "app: web"))
	apitest.Create(t, srv, config(t, "a", "two", "app: db"))
	apitest.Create(t, srv, config(t, "b", "three", "app: web"))
	one := startProgram(t, srv, "cm", "-n", "a", "-l", "app in (web)")
	one.out.until(`(?s)^EVENT      NAME   DATA   AGE\n           one    0      \d+s\n$`)
	all := startProgram(t, srv, "cm", "-A")
	all.out.until(`(?s)^EVENT +NAMESPACE +NAME .*a +one .*a +two .*b +three [^\n]*\n$`)
	srv.Stop()
	apitest.Create(t, srv, config(t, "a", "four", "app: web"))
	apitest.Delete(t, srv, config(t, "a", "one", ""))
	srv.Start()
	one.out.until(`(?s)ADDED +four .*DELETED +one `)
	all.out.until(`(?s)ADDED +a +four .*DELETED +a +one `)
	one.stop()
	all.stop()
}

// During the first list, its objects are counted; then the line is removed.
func TestObjectsOfTheFirstListAreCounted(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	apitest.Seed(t, srv, 1000, func(i int) *unstructured.Unstructured {
		obj := config(t, "default", "x", "")
		obj.SetName("config-" + string(rune('a'+i%26)) + strings.Repeat("x", i/26))
		return obj
	})
	slow := srv.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch", Resource: "configmaps"}, Action: apitest.AfterEvents(700, apitest.Silence())})
	p := startProgram(t, srv, "-progress", "cm")
	p.messages.until(`\r700 objects so far$`)
	slow.Remove()
	p.out.until(`(?s)^EVENT.*config-z.*`)
	p.messages.until(`\r\x1b\[K$`)
	p.stop()
}

// Without permission, the command reports an error instead of waiting. The permission
// to list is sufficient for -once.
func TestForbidden(t *testing.T) {
	var may string
	srv := apitest.NewServer(apitest.Options{Authorize: func(a apitest.Attributes) (bool, string) {
		return a.Resource == "" || strings.Contains(may, a.Verb), "denied"
	}})
	defer srv.Close()
	apitest.Create(t, srv, config(t, "default", "one", ""))
	err := <-startProgram(t, srv, "cm").ended
	require.ErrorContains(t, err, `cannot watch resource "configmaps"`)
	err = <-startProgram(t, srv, "cm", "-once").ended
	require.ErrorContains(t, err, `cannot list resource "configmaps"`)
	may = "list"
	p := startProgram(t, srv, "cm", "-once")
	require.NoError(t, <-p.ended)
	p.out.until("one")
}

// When a custom resource is deleted its objects are, and when it returns so do they.
func TestDefinitionIsDeletedAndCreatedAgain(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	widget := parsed(t, "{apiVersion: example.com/v1, kind: Widget, metadata: {name: one, namespace: default}, spec: {size: 3}}")
	p := startProgram(t, srv, "-install", "widgets")
	p.messages.until(`there are no widgets.example.com in namespace default\n`)
	apitest.Create(t, srv, widget)
	p.out.until(`(?s)^EVENT      NAME   SIZE   READY   AGE\nADDED      one    3              \d+s\n$`)
	client, err := rest.New(srv.Config())
	require.NoError(t, err)
	defer client.Close()
	_, err = client.Delete().AbsPath("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com").DoRaw(t.Context())
	require.NoError(t, err)
	p.out.until(`DELETED    one `)
	p.messages.until(`widgets.example.com are no longer served; the watch continues when they are served again\n`)
	again := startProgram(t, srv, "-install", "-once", "widgets")
	require.NoError(t, <-again.ended)
	apitest.Create(t, srv, widget)
	p.out.until(`(?s)DELETED    one .*ADDED      one `)
	p.stop()
}

// Wrong arguments are reported in one line; -h is not an error.
func TestInvalidArguments(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	file := clustertest.Kubeconfig(t, srv)
	for want, args := range map[string][]string{
		`the server has no resource "deplyo": did you mean deployments.apps (deploy)?`:            {"deplyo"},
		`the server has no resource "widgts.example.com": did you mean widgets.example.com (wi)?`: {"widgts.example.com"},
		`the server has no resource "confi": did you mean configmaps (cm)?`:                       {"confi"},
		`the server has no resource "xyzzy"`:                                                      {"xyzzy"},
		`unexpected argument "pods": only one resource is allowed`:                                {"deploy", "pods"},
		"no resource: name one, such as pods":                                                     {"-kubeconfig", file},
		`-n "a/b": not a valid namespace`:                                                         {"-n", "a/b", "pods"},
		"-A and -n cannot be used together":                                                       {"-A", "-n", "x", "pods"},
		`-l "a=,,=b": `:                                                                           {"-l", "a=,,=b", "pods"},
		"flag provided but not defined: -nonsense":                                                {"-nonsense"},
		"no such file": {"-kubeconfig", filepath.Join(t.TempDir(), "absent"), "pods"},
	} {
		err := run(t.Context(), args, io.Discard, io.Discard)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "xyzzy\": did you")
	}
	var help strings.Builder
	require.True(t, errors.Is(run(t.Context(), []string{"-h"}, &help, io.Discard), flag.ErrHelp))
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, name := range []string{"-n", "-A", "-l", "-once", "-progress", "-kubeconfig", "-context", "-in-cluster", "-install"} {
		require.Contains(t, help.String(), "  "+name)
		require.Contains(t, string(readme), "`"+name)
	}
}

// Columns of kinds whose status the embedded server does not set.
func TestColumns(t *testing.T) {
	for text, want := range map[string]string{
		`{apiVersion: v1, kind: Pod, spec: {containers: [{}, {}]}, status: {phase: Running, containerStatuses: [{ready: true, restartCount: 1}, {ready: false, restartCount: 2}]}}`: "1/2 Running 3",
		`{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 2}, status: {updatedReplicas: 1}}`:                                                                                "0/2 1 0",
		`{apiVersion: v1, kind: Pod}`:                                                                 "0/0  0",
		`{apiVersion: v1, kind: Secret, type: Opaque, data: {a: "", b: ""}}`:                          "Opaque 2",
		`{apiVersion: v1, kind: ConfigMap, data: {a: ""}, binaryData: {b: ""}}`:                       "2",
		`{apiVersion: v1, kind: Service, spec: {type: ClusterIP, clusterIP: 10.0.0.1}}`:               "ClusterIP 10.0.0.1",
		`{apiVersion: apps/v1, kind: DaemonSet, status: {numberReady: 1, desiredNumberScheduled: 3}}`: "1/3",
		`{apiVersion: v1, kind: Pod, status: {phase: "\e[2J\nnext"}}`:                                 "0/0 ?[2J... 0",
	} {
		obj := parsed(t, text)
		var columns []cell
		for resource, cells := range known {
			if strings.HasPrefix(resource.Resource, strings.ToLower(obj.GetKind())) && resource.Group == obj.GroupVersionKind().Group {
				columns = cells
			}
		}
		obj.SetCreationTimestamp(metav1.Now())
		row := newTable(nil, columns, false).row("", obj)
		require.Equal(t, want, strings.Join(row[2:len(row)-1], " "), text)
	}
}
