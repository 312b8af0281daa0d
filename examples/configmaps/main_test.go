package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/apitest"
	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/examples/internal/cluster/clustertest"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reconciles matches the number of reconciles: one for each change. The deletion can cause
// a second one if it arrives during the reconcile before it.
const reconciles = `\b[67] reconciles`

// The output is the one in the README, except for the versions.
func TestOutputMatchesReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)```\n(server: .*?)```").FindSubmatch(readme)
	require.NotNil(t, shown)
	var out strings.Builder
	require.NoError(t, run(t.Context(), nil, &out))
	normal := func(output string) string {
		output = regexp.MustCompile(`version \d+`).ReplaceAllString(output, "version V")
		output = regexp.MustCompile(reconciles).ReplaceAllString(output, "N reconciles")
		return regexp.MustCompile(`[0-9.]+m?s\.`).ReplaceAllString(output, "TIME.")
	}
	require.Equal(t, normal(string(shown[1])), normal(out.String()))
}

// The code that a user would write is as long as the README says, and at most half of the
// 68 lines of the book's controller, which are counted without imports and comments too.
func TestLinesOfController(t *testing.T) {
	text, err := os.ReadFile("controller.go")
	require.NoError(t, err)
	_, code, found := strings.Cut(string(text), "\n)\n")
	require.True(t, found, "no end of the imports")
	lines := 0
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			lines++
		}
	}
	require.LessOrEqual(t, 2*lines, 68)
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), fmt.Sprintf("The controller has %d lines", lines))
	require.NotContains(t, string(text), "AddIndex")
}

// A change of the ConfigMap that a ConfigDeployment names reaches the pods, also if others
// have changed the Deployment. A ConfigMap that no ConfigDeployment names causes no
// reconcile.
func TestDeploymentFollowsConfigMap(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	config := &ConfigDeployment{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "ConfigDeployment"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
	config.Spec.ConfigMap = "settings"
	require.NoError(t, srv.Register(apitest.Resource{ResourceInfo: configDeploymentInfo}))
	apitest.Create(t, srv, config)
	configMap := func(name string) *ConfigMap {
		return &ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Data: map[string]string{}}
	}
	settings := apitest.Create(t, srv, configMap("settings"))

	client, err := rest.New(srv.Config())
	require.NoError(t, err)
	defer client.Close()
	factory := informer.NewFactory(informer.FactoryOptions{})
	c := newController(client, factory, "default", io.Discard)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- controller.Run(ctx, controller.RunOptions{Factory: factory, NoSignals: true}, c) }()
	defer func() {
		stop()
		require.NoError(t, <-ended)
	}()
	deployment := &Deployment{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}, ObjectMeta: config.ObjectMeta}
	follows := func(version string) {
		t.Helper()
		apitest.Wait(t, srv, deployment, func(d *Deployment) bool {
			return d.Spec.Template.Annotations[versionAnnotation] == version && d.Spec.Template.Spec.Containers[0].Image != "other"
		})
	}
	follows(settings.ResourceVersion)

	settings = apitest.Modify(t, srv, settings, func(m *ConfigMap) { m.Data = map[string]string{"level": "debug"} })
	follows(settings.ResourceVersion)
	apitest.Modify(t, srv, deployment, func(d *Deployment) { d.Spec.Template.Spec.Containers[0].Image = "other" })
	follows(settings.ResourceVersion)

	reconciles := c.State().Reconciles
	unused := apitest.Create(t, srv, configMap("unused"))
	apitest.Modify(t, srv, unused, func(m *ConfigMap) { m.Data = map[string]string{"level": "debug"} })
	settings = apitest.Modify(t, srv, settings, func(m *ConfigMap) { m.Data = map[string]string{"level": "info"} })
	follows(settings.ResourceVersion)
	require.LessOrEqual(t, c.State().Reconciles, reconciles+2)
}

// On a real server, it does the same with exactly the permissions of rbac.yaml, and
// deletes its objects.
func TestRealServer(t *testing.T) {
	server := clustertest.NewRestricted(t, crd, rbac)
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"-kubeconfig", server.Kubeconfig}, &out))
	require.Regexp(t, "\n"+reconciles+", 0 errors, ", out.String())
	require.Empty(t, server.Unused())
	require.Empty(t, apitest.List(t, server.Server, new(ConfigDeployment)))
	require.Empty(t, apitest.List(t, server.Server, new(ConfigMap)))
}

// Without the definition, the error suggests -install.
func TestWithoutDefinition(t *testing.T) {
	srv := apitest.NewServer(apitest.Options{})
	defer srv.Close()
	require.ErrorContains(t, run(t.Context(), []string{"-kubeconfig", clustertest.Kubeconfig(t, srv)}, io.Discard), "no configdeployments.example.com: run with -install")
}
