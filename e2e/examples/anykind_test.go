package examples

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/e2e/plane"
	"github.com/thinformer/thinformer/rest"
)

// The program finds kinds of a real server by any of their names and watches them, with the
// permissions of rbac.yaml and the columns of kubectl.
func TestAnykind(t *testing.T) {
	servers := startPlane(t)
	client, err := rest.New(servers.Config(plane.Admin))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	file := program(t, "anykind")
	as := func(kubeconfig string, args ...string) []string {
		return append([]string{"-kubeconfig", kubeconfig}, args...)
	}
	out, err := output(t, file, as(servers.Kubeconfig, "-install", "-once", "widgets")...)
	require.NoError(t, err, out)
	require.Contains(t, out, "there are no widgets.example.com in namespace default\n")
	account := asServiceAccount(t, servers, "anykind", "example.com", "widgets")

	watch := start(t, file, as(account, "wi")...)
	watch.until("there are no widgets")
	widgets := rest.NewResource[*unstructured.Unstructured](client, infoOf("example.com", "widgets", "Widget")).Namespace("default")
	_, err = widgets.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "one"}, "spec": map[string]any{"size": int64(3)},
		"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True"}}},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	watch.until(`EVENT      NAME   SIZE   READY   AGE\nADDED      one    3      True    \d+s\n`)
	_, err = rest.NewResource[*appsv1.Deployment](client, infoOf("apps", "deployments", "Deployment")).Namespace("default").Create(t.Context(), deployment(), metav1.CreateOptions{})
	require.NoError(t, err)

	t.Run("same columns as kubectl", func(t *testing.T) {
		home := t.TempDir() // kubectl caches discovery there, by the server's address
		admin := func(args ...string) string {
			t.Helper()
			kubectl := exec.CommandContext(t.Context(), servers.Binaries.Kubectl, append([]string{"--kubeconfig", servers.Kubeconfig}, args...)...)
			kubectl.Env = append(os.Environ(), "HOME="+home)
			out, err := kubectl.CombinedOutput()
			require.NoError(t, err, "%s", out)
			return string(out)
		}
		admin("run", "pod", "--image=nginx")
		admin("create", "configmap", "c", "--from-literal=a=b")
		admin("create", "secret", "generic", "s", "--from-literal=a=b")
		admin("scale", "deployment", "web", "--replicas=3")
		for _, kind := range []string{"widgets", "deployments.v1.apps", "po", "cm", "Secret", "namespaces", "rs"} {
			kubectl := admin("get", kind)
			out, err := output(t, file, as(servers.Kubeconfig, "-once", kind)...)
			require.NoError(t, err, out)
			if _, table, found := strings.Cut(out, "EVENT"); found {
				require.Equal(t, normal(kubectl), normal(table))
			} else {
				require.Contains(t, kubectl, "No resources found", "but: %s", out)
			}
		}
	})
	t.Run("errors", func(t *testing.T) {
		for want, args := range map[string][]string{
			`cannot watch resource "secrets" in API group "" in the namespace "default"`: as(account, "secrets"),
			`cannot list resource "secrets" in API group "" at the cluster scope`:        as(account, "secrets", "-A", "-once"),
			"did you mean deployments.apps (deploy)?":                                    as(account, "deplyo"),
			"bindings cannot be watched: the server can only create them":                as(account, "bindings"),
			"the server has no resource \"xyzzy\"\n":                                     as(account, "xyzzy"),
		} {
			out, err := output(t, file, args...)
			require.Error(t, err, "%v", args)
			require.Contains(t, out, want)
		}
	})
	t.Run("deleted definition", func(t *testing.T) {
		_, err := client.Delete().AbsPath("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com").DoRaw(t.Context())
		require.NoError(t, err)
		watch.until(`DELETED    one `)
		watch.until(`widgets.example.com are no longer served`)
	})
}

var (
	spaces = regexp.MustCompile(`[ ]+`)
	ages   = regexp.MustCompile(`\b(\d+[smh])+\b`)
)

// normal returns a table without the widths of its columns and without ages.
func normal(table string) string {
	var lines []string
	for line := range strings.Lines(ages.ReplaceAllString(table, "AGE")) {
		lines = append(lines, strings.TrimSpace(spaces.ReplaceAllString(line, " ")))
	}
	return strings.Join(lines, "\n")
}

func deployment() *appsv1.Deployment {
	labels, replicas := map[string]string{"app": "web"}, int32(2)
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx"}}},
			},
		},
	}
}
