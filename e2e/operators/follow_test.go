package operators

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/e2e/plane"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/rest"
)

// The namespaces of an informer are those with a label, while namespaces get the label, lose
// it, and are deleted.
func TestNamespacesFollowALabel(t *testing.T) {
	c := newCluster(t)
	tenant := map[string]string{"tenant": "yes"}
	for name, labels := range map[string]map[string]string{"n0": tenant, "n1": nil, "n2": tenant} {
		c.namespace(name, labels)
		create(c, configMaps, configMap(name, "object", 0))
	}
	n := &tenants{cluster: c, history: newHistory[*corev1.ConfigMap]()}
	var client *rest.Client
	client, n.requests = c.client(string(plane.Admin))
	factory := informer.NewFactory(informer.FactoryOptions{})
	n.SharedInformer = informer.ForNamespaces(factory, rest.NewView[*corev1.ConfigMap](client, configMaps), informer.Options[*corev1.ConfigMap]{})
	labelled := informer.For(factory, rest.NewView[*metav1.PartialObjectMetadata](client, namespaces), informer.Options[*metav1.PartialObjectMetadata]{
		TweakListOptions: func(o *metav1.ListOptions) { o.LabelSelector = "tenant=yes" },
	})
	_, err := informer.FollowNamespaces(n.SharedInformer, labelled)
	require.NoError(t, err)
	_, err = n.AddEventHandler(n.history.handler(), informer.HandlerOptions{})
	require.NoError(t, err)
	c.run(controller.RunOptions{Factory: factory})
	require.NoError(t, n.WaitForSync(t.Context()))
	require.True(t, n.known("n0/object") && n.known("n2/object"), "it is synced when it has the objects")
	n.equal("n0", "n2")

	c.label("n1", tenant)
	n.equal("n0", "n1", "n2")
	c.label("n0", nil)
	n.equal("n1", "n2")
	c.deleteNamespace("n2")
	n.equal("n1")
	c.namespace("n2", tenant)
	create(c, configMaps, configMap("n2", "again", 0))
	n.equal("n1", "n2")
	t.Logf("requests:\n%s", summary(n.requests.since(0)))
}

// label replaces the labels of a namespace.
func (c *cluster) label(name string, labels map[string]string) {
	c.t.Helper()
	var object corev1.Namespace
	require.NoError(c.t, c.admin.GroupVersion(namespaces.GroupVersion()).Get().Resource("namespaces").Name(name).Do(c.t.Context()).Into(&object))
	object.Labels = labels
	update(c, namespaces, &object)
}
