package cluster_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/examples/internal/cluster"
	"github.com/thinformer/thinformer/examples/internal/cluster/clustertest"
	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/rest/discovery"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const definition = `# like a crd.yaml
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wi]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, default: 3}
    subresources: {status: {}}
`

const roles = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: widgets}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: widgets, namespace: default}
rules:
- {apiGroups: [example.com], resources: [widgets], verbs: [get, list, watch]}
`

// makeWidget creates a widget with a known and an unknown field, and returns the object
// as stored.
func makeWidget(t *testing.T, c *cluster.Cluster) *unstructured.Unstructured {
	t.Helper()
	found, err := discovery.NewMapper(discovery.NewClient(c.Client)).ForResource(t.Context(), "wi")
	require.NoError(t, err)
	made, err := rest.NewResource[*unstructured.Unstructured](c.Client, found.ResourceInfo).Namespace(c.Namespace).Create(t.Context(),
		&unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "one"}, "spec": map[string]any{"colour": "red"}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	return made
}

// Without flags there is an embedded server, which serves the resources of the CRD with
// their schema.
func TestEmbeddedServer(t *testing.T) {
	var out strings.Builder
	c, err := cluster.Open(t.Context(), cluster.Flags{}, cluster.Options{CRD: []byte(definition), Out: &out})
	require.NoError(t, err)
	defer c.Close()
	require.NotNil(t, c.Embedded)
	require.Equal(t, "default", c.Namespace)
	require.Equal(t, map[string]any{"size": int64(3)}, makeWidget(t, c).Object["spec"])
	require.Equal(t, "server: embedded in this process; -kubeconfig selects a real one\n", out.String())
}

// With -kubeconfig, -install applies the missing objects. It is idempotent.
func TestInstallOnAServer(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	flags := cluster.Flags{Kubeconfig: clustertest.Kubeconfig(t, srv)}
	options := cluster.Options{CRD: []byte(definition), RBAC: []byte(roles)}
	_, err := cluster.Open(t.Context(), flags, options)
	require.EqualError(t, err, "the server has no widgets.example.com: run with -install, or kubectl apply -f crd.yaml")

	flags.Install = true
	for range 2 {
		var out strings.Builder
		options.Out = &out
		c, err := cluster.Open(t.Context(), flags, options)
		require.NoError(t, err)
		version, err := discovery.NewClient(c.Client).ServerVersion(t.Context())
		require.NoError(t, err)
		c.Close()
		require.Equal(t, "server: "+srv.URL+", Kubernetes "+version.GitVersion+", namespace default\n"+
			"installed: CustomResourceDefinition widgets.example.com\ninstalled: ServiceAccount widgets\ninstalled: Role widgets\n", out.String())
	}
	flags.Install, flags.Context = false, "test"
	c, err := cluster.Open(t.Context(), flags, options)
	require.NoError(t, err)
	defer c.Close()
	require.Nil(t, c.Embedded)
	makeWidget(t, c)
}

// Values of other field managers are not overwritten.
func TestInstallOverwritesNothing(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	flags := cluster.Flags{Kubeconfig: clustertest.Kubeconfig(t, srv), Install: true}
	c, err := cluster.Open(t.Context(), flags, cluster.Options{CRD: []byte(definition)})
	require.NoError(t, err)
	_, err = c.Client.Patch("application/apply-patch+yaml").AbsPath("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com").
		Param("fieldManager", "other-manager").Param("force", "true").
		Body([]byte(strings.Replace(definition, "[wi]", "[wid]", 1))).DoRaw(t.Context())
	require.NoError(t, err)
	c.Close()
	_, err = cluster.Open(t.Context(), flags, cluster.Options{CRD: []byte(definition)})
	require.ErrorContains(t, err, "install CustomResourceDefinition widgets.example.com: ")
	require.ErrorContains(t, err, "other-manager")
}

// If a definition is not established in time, the error says so; the wait ends with ctx.
func TestWaitForEstablishedEnds(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	srv.Fault(apitest.Fault{Match: apitest.Match{Verb: "watch", Resource: "customresourcedefinitions"}, Action: apitest.Silence()})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		srv.WaitForRequests(ctx, apitest.Match{Verb: "watch"}, 1)
		cancel()
	}()
	_, err := cluster.Open(ctx, cluster.Flags{Kubeconfig: clustertest.Kubeconfig(t, srv), Install: true}, cluster.Options{CRD: []byte(definition)})
	require.ErrorIs(t, err, context.Canceled)
}

// Each error says what to do.
func TestInvalidArguments(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	stopped := apitest.NewServer(apitest.Options{PlainHTTP: true})
	file := clustertest.Kubeconfig(t, stopped)
	stopped.Close()
	absent := filepath.Join(t.TempDir(), "absent")
	broken := filepath.Join(t.TempDir(), "broken")
	require.NoError(t, os.WriteFile(broken, []byte("clusters: {"), 0o600))
	for name, c := range map[string]struct {
		flags cluster.Flags
		crd   string
		want  string
	}{
		"two servers":              {flags: cluster.Flags{Kubeconfig: file, InCluster: true}, want: "-in-cluster cannot be used with -kubeconfig or -context"},
		"install without a server": {flags: cluster.Flags{Install: true}, want: "select one with -kubeconfig"},
		"not in a pod":             {flags: cluster.Flags{InCluster: true}, want: "-in-cluster: not in a cluster"},
		"no such file":             {flags: cluster.Flags{Kubeconfig: absent}, want: absent},
		"invalid kubeconfig":       {flags: cluster.Flags{Kubeconfig: broken}, want: broken},
		"no such context":          {flags: cluster.Flags{Kubeconfig: file, Context: "other"}, want: `"other"`},
		"server unavailable":       {flags: cluster.Flags{Kubeconfig: file}, want: "read the version of the server at http://127.0.0.1:"},
		"invalid YAML":             {crd: "a: {", want: "read the objects to install"},
		"unknown kind":             {crd: "{apiVersion: example.com/v1, kind: Nothing, metadata: {name: x}}", want: "install Nothing x: "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := cluster.Open(t.Context(), c.flags, cluster.Options{CRD: []byte(c.crd)})
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := cluster.Open(t.Context(), cluster.Flags{}, cluster.Options{Server: apitest.Options{Address: "nowhere"}})
	require.ErrorContains(t, err, "start the embedded server: ")
}

// Errors are reported once, by the return value. -h prints the flags, including those of
// the program.
func TestParse(t *testing.T) {
	var f cluster.Flags
	var mine int
	parse := func(args ...string) (shown string, err error) {
		var out strings.Builder
		set := flag.NewFlagSet("prog", flag.ContinueOnError)
		set.IntVar(&mine, "mine", 1, "`number` of the program")
		err = f.Parse(set, "prog does things.", args, &out)
		return out.String(), err
	}
	shown, err := parse("-mine", "7", "-context", "c")
	require.NoError(t, err)
	require.Empty(t, shown)
	require.Equal(t, 7, mine)
	require.Equal(t, "c", f.Context)

	for want, args := range map[string][]string{
		"flag provided but not defined: -nonsense: see -h":      {"-nonsense"},
		`invalid value "x" for flag -mine: parse error: see -h`: {"-mine", "x"},
		`unexpected argument "y": see -h`:                       {"-mine", "1", "y"},
		"flag needs an argument: -context: see -h":              {"-context"},
	} {
		shown, err := parse(args...)
		require.EqualError(t, err, want)
		require.Empty(t, shown)
	}
	shown, err = parse("-h")
	require.ErrorIs(t, err, flag.ErrHelp)
	require.True(t, strings.HasPrefix(shown, "prog does things.\n\n\tprog [flags]\n\n"), shown)
	require.Contains(t, shown, "-kubeconfig file")
	require.Contains(t, shown, "-mine number")
}

// The flags have their usual names.
func TestFlagNames(t *testing.T) {
	var f cluster.Flags
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(new(bytes.Buffer))
	f.Register(set)
	require.NoError(t, set.Parse([]string{"-kubeconfig", "a", "-context", "b", "-in-cluster", "-install"}))
	require.Equal(t, cluster.Flags{Kubeconfig: "a", Context: "b", InCluster: true, Install: true}, f)
}
