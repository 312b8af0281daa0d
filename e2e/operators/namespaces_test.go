package operators

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/controller"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/reflector"
	"github.com/thinformer/thinformer/rest"
)

// tenants is a program with one informer of config maps of several namespaces.
type tenants struct {
	*cluster
	*informer.SharedInformer[*corev1.ConfigMap]
	history    *history[*corev1.ConfigMap]
	requests   *requests
	controller *controller.Controller
	url        string // of the health endpoints
	serial     int    // of the last write
}

func newTenants(c *cluster, names ...string) *tenants {
	n := &tenants{cluster: c, history: newHistory[*corev1.ConfigMap]()}
	var client *rest.Client
	client, n.requests = c.client(program)
	factory := informer.NewFactory(informer.FactoryOptions{})
	n.SharedInformer = informer.ForNamespaces(factory, rest.NewView[*corev1.ConfigMap](client, configMaps), informer.Options[*corev1.ConfigMap]{}, names...)
	_, err := n.AddEventHandler(n.history.handler(), informer.HandlerOptions{})
	require.NoError(c.t, err)
	n.controller = controller.New("tenants", controller.Func(func(context.Context, controller.Request) (controller.Result, error) {
		return controller.Result{}, nil
	}), controller.Options{})
	controller.For(n.controller, n.SharedInformer)

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(c.t, err)
	n.url = "http://" + listener.Addr().String()
	c.t.Cleanup(http.DefaultClient.CloseIdleConnections)
	c.run(controller.RunOptions{Factory: factory, Serve: controller.HTTP{Listener: listener}}, n.controller)
	return n
}

// ready returns the response of /readyz.
func (n *tenants) ready() (status int, text string) {
	n.t.Helper()
	response, err := http.Get(n.url + "/readyz?verbose")
	require.NoError(n.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(n.t, err)
	return response.StatusCode, string(body)
}

// refused returns the error of the requests of a namespace, which State and /readyz have.
func refused(namespace string) string {
	return fmt.Sprintf(`configmaps is forbidden: User "program" cannot watch resource "configmaps" in API group "" in the namespace %q`, namespace)
}

// requireFails requires that State and /readyz name a namespace and the right that is
// missing in it, and that all others watch.
func (n *tenants) requireFails(t require.TestingT, namespace string) {
	for _, s := range n.State().Namespaces {
		if s.Namespace != namespace {
			require.Equal(t, reflector.PhaseWatching, s.Source.Phase, s.Namespace)
			continue
		}
		require.ErrorContains(t, s.Source.Err, refused(namespace))
	}
	_, text := n.ready()
	require.Contains(t, text, refused(namespace))
}

// write creates or updates an object in a namespace, and returns it.
func (n *tenants) write(namespace, name string) *corev1.ConfigMap {
	n.t.Helper()
	n.serial++
	if key := namespace + "/" + name; n.known(key) {
		m, err := rest.NewView[*corev1.ConfigMap](n.admin, configMaps).Namespace(namespace).Get(n.t.Context(), name, metav1.GetOptions{})
		require.NoError(n.t, err)
		m.Data["serial"] = fmt.Sprint(n.serial)
		return update(n.cluster, configMaps, m)
	}
	return create(n.cluster, configMaps, configMap(namespace, name, n.serial))
}

func (n *tenants) known(key string) bool {
	_, ok := n.Get(key)
	return ok
}

// sees waits until the informer has a write.
func (n *tenants) sees(m *corev1.ConfigMap) {
	n.t.Helper()
	ctx, cancel := context.WithTimeoutCause(n.t.Context(), settle, errors.New("not seen in time"))
	defer cancel()
	require.NoError(n.t, n.WaitForVersionIn(ctx, m.Namespace, m.ResourceVersion), "%v", context.Cause(ctx))
	stored, ok := n.Get(m.Namespace + "/" + m.Name)
	require.True(n.t, ok)
	require.Equal(n.t, m.ResourceVersion, stored.ResourceVersion)
}

// equal waits until the store and the handler have the server's objects of the namespaces.
func (n *tenants) equal(names ...string) {
	n.t.Helper()
	want := map[string]string{}
	for _, name := range names {
		list, err := rest.NewView[*metav1.PartialObjectMetadata](n.admin, configMaps).Namespace(name).List(n.t.Context(), metav1.ListOptions{})
		require.NoError(n.t, err)
		for o, err := range list.Items() {
			require.NoError(n.t, err)
			want[o.Namespace+"/"+o.Name] = o.ResourceVersion
		}
	}
	n.eventually(func(now *assert.CollectT) {
		stored := map[string]string{}
		for o := range n.All() {
			stored[o.Namespace+"/"+o.Name] = o.ResourceVersion
		}
		require.Equal(now, want, stored)
		require.Equal(now, want, n.history.states())
	})
	require.Empty(n.t, n.history.faults())
}

// A permission that is missing in one of several namespaces, from the beginning or later,
// leaves the others running. State and /readyz name the namespace and the right. After it is
// granted, the namespace continues, and no object of another one was touched.
func TestPermissionRemovedInOneNamespace(t *testing.T) {
	c := newCluster(t)
	all := []string{"n0", "n1", "n2", "n3", "n4"}
	for _, name := range all {
		c.namespace(name, nil)
		if name != "n4" {
			c.grant(name, configMaps, "list", "watch")
		}
		for i := range 5 {
			create(c, configMaps, configMap(name, fmt.Sprint("object-", i), i))
		}
	}
	n := newTenants(c, all...)
	c.eventually(func(now *assert.CollectT) {
		status, text := n.ready()
		require.Equal(now, http.StatusOK, status, text)
		n.requireFails(now, "n4")
	})
	n.sees(n.write("n0", "object-0")) // neither the others nor the sync wait for n4
	require.True(t, n.HasSynced())
	c.grant("n4", configMaps, "list", "watch")
	granted := time.Now()
	c.eventually(func(now *assert.CollectT) {
		_, ok := n.Get("n4/object-0")
		require.True(now, ok)
	})
	t.Logf("the first list of n4 %v after the right was granted", time.Since(granted).Round(time.Millisecond))
	n.equal(all...)

	// The right in n3 is removed, and its watch ends.
	c.revoke("n3", configMaps, "list", "watch")
	sent := n.requests.count()
	require.Equal(t, 1, n.requests.endWatches("/namespaces/n3/"))
	ended := time.Now()
	c.eventually(func(now *assert.CollectT) { n.requireFails(now, "n3") })
	var last *corev1.ConfigMap
	for i := range 25 {
		name := fmt.Sprintf("object-%d", i%7)
		for _, namespace := range []string{"n0", "n1", "n2", "n4"} {
			n.sees(n.write(namespace, name))
		}
		if i%10 == 0 {
			last = n.write("n3", fmt.Sprint("late-", i))
		}
	}
	c.remove(configMaps, "n3", "object-1")
	_, ok := n.Get("n3/object-1")
	require.True(t, ok, "the last known state remains")
	require.False(t, n.known("n3/"+last.Name))
	n.requireFails(t, "n3")
	during := n.requests.since(sent)
	t.Logf("during the %v without the right:\n%s", time.Since(ended).Round(time.Millisecond), summary(during))
	for _, one := range during {
		require.Equal(t, "n3", one.Namespace, "the others send nothing")
	}
	require.LessOrEqual(t, len(during), 12)

	c.grant("n3", configMaps, "list", "watch")
	granted, sent = time.Now(), n.requests.count()
	n.sees(last)
	t.Logf("the first event of n3 %v after the right was granted, with\n%s", time.Since(granted).Round(time.Millisecond), summary(n.requests.since(sent)))
	n.equal(all...)
	for _, key := range []string{"n0/object-0", "n2/object-4", "n3/object-0"} {
		adds, deletes, _ := n.history.counts(key)
		require.Equal(t, [2]int{1, 0}, [2]int{adds, deletes}, key)
	}
}

// Namespaces are added and removed while the informer runs, and one is deleted and created
// again. Each has one list and one watch, and the requests of the others are not repeated.
func TestNamespacesAddedAndRemoved(t *testing.T) {
	c := newCluster(t)
	for _, name := range []string{"n0", "n1", "n2", "n3"} {
		c.namespace(name, nil)
		c.grant(name, configMaps, "list", "watch")
		for i := range 5 {
			create(c, configMaps, configMap(name, fmt.Sprint("object-", i), i))
		}
	}
	n := newTenants(c, "n0", "n1")
	n.equal("n0", "n1")

	sent := n.requests.count()
	require.NoError(t, n.SetNamespaces("n0", "n1", "n2"))
	n.equal("n0", "n1", "n2")
	_, _, initial := n.history.counts("n2/object-0")
	require.True(t, initial)
	for _, one := range n.requests.since(sent) {
		require.Equal(t, "n2", one.Namespace)
	}
	require.NoError(t, n.SetNamespaces("n2", "n0", "n3"))
	n.equal("n0", "n2", "n3")
	_, deletes, _ := n.history.counts("n1/object-0")
	require.Equal(t, 1, deletes)
	c.eventually(func(now *assert.CollectT) { require.Zero(now, n.requests.watches("/namespaces/n1/")) })

	// n2 is deleted and created again: its watch remains, or ends and is refused until the
	// right exists again.
	c.deleteNamespace("n2")
	n.equal("n0", "n3")
	n.sees(n.write("n0", "object-1"))
	n.requests.endWatches("/namespaces/n2/")
	c.namespace("n2", nil)
	c.grant("n2", configMaps, "list", "watch")
	n.sees(n.write("n2", "object-0"))
	n.sees(n.write("n2", "new"))
	n.sees(n.write("n3", "object-0"))
	n.equal("n0", "n2", "n3")
	adds, deletes, _ := n.history.counts("n2/object-0")
	require.Equal(t, [2]int{2, 1}, [2]int{adds, deletes})

	// A namespace that does not exist yet is an empty list; its objects arrive when it
	// exists.
	require.Error(t, n.SetNamespaces("n0", "Not A Name"))
	require.NoError(t, n.SetNamespaces("n0", "later"))
	n.equal("n0")
	c.namespace("later", nil)
	c.grant("later", configMaps, "list", "watch")
	n.sees(n.write("later", "object-0"))
	require.NoError(t, n.SetNamespaces())
	n.equal()
	c.eventually(func(now *assert.CollectT) { require.Zero(now, n.requests.watches("/configmaps")) })
	t.Logf("requests:\n%s", summary(n.requests.since(0)))
}
