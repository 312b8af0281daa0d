//lint:file-ignore SA1019 The example is about Endpoints, which are deprecated.

package examples

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/e2e/plane"
	"github.com/thinformer/thinformer/rest"
)

// Endpoints and EndpointSlices of a real server result in the same file, with the
// permissions of rbac.yaml and after a crash of the server.
func TestEndpoints(t *testing.T) {
	servers := startPlane(t)
	client, err := rest.New(servers.Config(plane.Admin))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	endpoints := rest.NewResource[*corev1.Endpoints](client, infoOf("", "endpoints", "Endpoints")).Namespace("default")
	slices := rest.NewResource[*discoveryv1.EndpointSlice](client, infoOf("discovery.k8s.io", "endpointslices", "EndpointSlice")).Namespace("default")
	set := func(ready string, others ...string) {
		t.Helper()
		e, s := web(ready, others)
		_, err := endpoints.Create(t.Context(), e, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			_, err = endpoints.Update(t.Context(), e, metav1.UpdateOptions{})
		}
		require.NoError(t, err)
		_, err = slices.Create(t.Context(), s, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			_, err = slices.Update(t.Context(), s, metav1.UpdateOptions{})
		}
		require.NoError(t, err)
	}
	file := program(t, "endpoints")
	admin := start(t, file, "-kubeconfig", servers.Kubeconfig, "-install", "-o", filepath.Join(t.TempDir(), "a"))
	admin.until(`installed: RoleBinding thinformer-endpoints\n(?s:.*)wrote `)
	admin.stop()

	account := asServiceAccount(t, servers, "endpoints", "", "endpoints")
	one, other := filepath.Join(t.TempDir(), "one.conf"), filepath.Join(t.TempDir(), "other.conf")
	both := []*running{
		start(t, file, "-kubeconfig", account, "-o", one),
		start(t, file, "-kubeconfig", account, "-o", other, "-slices"),
	}
	wrote := `(?s)` // matches all writes of both programs, in order
	for _, want := range []struct {
		do   func()
		text string
	}{
		{func() {}, ""},
		{func() { set("10.0.0.1") }, "\nupstream default_web_http {\n    server 10.0.0.1:8080;\n}\n"},
		{func() {
			require.NoError(t, servers.KillAPIServer())
			require.NoError(t, servers.RestartAPIServer(t.Context()))
			set("10.0.0.2", "10.0.0.3")
		}, "\nupstream default_web_http {\n    server 10.0.0.2:8080;\n    server 10.0.0.3:8080 down;\n}\n"},
	} {
		want.do()
		wrote += `wrote .*`
		for i, r := range both {
			r.until(wrote)
			text, err := os.ReadFile([]string{one, other}[i])
			require.NoError(t, err)
			require.Equal(t, "# The endpoints of namespace default, by thinformer's examples/endpoints.\n"+want.text, string(text))
		}
	}
}

// web returns the objects of a service as the controllers of a cluster write them. There are
// no controllers here.
func web(ready string, others []string) (*corev1.Endpoints, *discoveryv1.EndpointSlice) {
	name, port, protocol, yes, no := "http", int32(8080), corev1.ProtocolTCP, true, false
	subset := corev1.EndpointSubset{
		Addresses: []corev1.EndpointAddress{{IP: ready}},
		Ports:     []corev1.EndpointPort{{Name: name, Port: port, Protocol: protocol}},
	}
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: "web-1", Labels: map[string]string{discoveryv1.LabelServiceName: "web"}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{ready}, Conditions: discoveryv1.EndpointConditions{Ready: &yes}}},
		Ports:       []discoveryv1.EndpointPort{{Name: &name, Port: &port, Protocol: &protocol}},
	}
	for _, ip := range others {
		subset.NotReadyAddresses = append(subset.NotReadyAddresses, corev1.EndpointAddress{IP: ip})
		slice.Endpoints = append(slice.Endpoints, discoveryv1.Endpoint{Addresses: []string{ip}, Conditions: discoveryv1.EndpointConditions{Ready: &no}})
	}
	return &corev1.Endpoints{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Subsets: []corev1.EndpointSubset{subset}}, slice
}
