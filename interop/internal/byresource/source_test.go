//lint:file-ignore SA1019 The methods of client-go's interface without a context are called.

package byresource

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/thinformer/thinformer/cache"
	"github.com/thinformer/thinformer/interop"
	"github.com/thinformer/thinformer/listwatch"
)

var deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}

// Promise of Source: with a client of all versions, this module decodes the responses, into any type, and the
// client of the resource is not called. The requests have the path of the resource and the
// tweaked options.
func TestSourceReadsThroughRaw(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path+"?"+r.URL.Query().Get("labelSelector"))
		w.Header().Set("Content-Type", "application/json")
		_, err := io.WriteString(w, `{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":"7"},"items":[{"apiVersion":"v1","kind":"Thing","metadata":{"name":"a"}}]}`)
		require.NoError(t, err)
	}))
	defer server.Close()
	config := dynamic.ConfigFor(&rest.Config{Host: server.URL + "/proxy"})
	config.GroupVersion = &schema.GroupVersion{Version: "v1"}
	client, err := rest.UnversionedRESTClientFor(config)
	require.NoError(t, err)
	defer client.Client.CloseIdleConnections()

	never := func() interop.Client[*unstructured.UnstructuredList] {
		t.Error("the client of the resource is called")
		return nil
	}
	for _, resource := range []schema.GroupVersionResource{deployments, {Version: "v1", Resource: "pods"}} {
		lw := Source(client, client, resource, "shop", func(o *metav1.ListOptions) { o.LabelSelector = "app=web" }, never)
		type slim struct {
			metav1.ObjectMeta `json:"metadata"`
		}
		list, err := cache.ToTyped[*slim](lw).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		var names []string
		for object, err := range list.Items() {
			require.NoError(t, err)
			names = append(names, object.Name)
		}
		require.Equal(t, []string{"a"}, names)
	}
	require.Equal(t, []string{"/proxy/apis/apps/v1/namespaces/shop/deployments?app=web", "/proxy/api/v1/namespaces/shop/pods?app=web"}, asked)
}

// Informers of all versions of a server wait for it together; a failure of one group
// concerns this group.
func TestVersionsRecoverTogether(t *testing.T) {
	config := dynamic.ConfigFor(&rest.Config{Host: "http://server/clusters/a"})
	config.GroupVersion = &schema.GroupVersion{Version: "v1"}
	client, err := rest.UnversionedRESTClientFor(config)
	require.NoError(t, err)
	of := func(resource schema.GroupVersionResource) *listwatch.Recovery {
		lw := Source[*unstructured.UnstructuredList](client, client, resource, "", nil, nil)
		return cache.ToTyped[*unstructured.Unstructured](lw).(listwatch.Recoverable).Recovery()
	}
	core := of(schema.GroupVersionResource{Version: "v1", Resource: "pods"})
	require.Equal(t, core.InGroup("apps"), of(deployments))
	require.NotEqual(t, core, of(deployments))
}

// Without it the client of the resource is called, with the tweaked options.
func TestSourceCallsTheClientOfTheResource(t *testing.T) {
	of := &recording{}
	lw := Source(of, nil, deployments, "shop", func(o *metav1.ListOptions) { o.LabelSelector = "app=web" },
		func() interop.Client[*unstructured.UnstructuredList] { return of })
	_, err := lw.List(metav1.ListOptions{})
	require.NoError(t, err)
	_, err = lw.Watch(metav1.ListOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"list app=web", "watch app=web"}, of.asked)
	for _, client := range []any{nil, (*recording)(nil)} {
		unset := Source[*unstructured.UnstructuredList](client, nil, deployments, "", nil, nil)
		_, err = unset.List(metav1.ListOptions{})
		require.EqualError(t, err, "read deployments: the informer was created with a client that is nil")
		_, err = unset.Watch(metav1.ListOptions{})
		require.EqualError(t, err, "read deployments: the informer was created with a client that is nil")
	}
}

// The client of the resource is opened for each list and watch, and not before.
func TestTheClientOfTheResourceIsOpenedForEachRequest(t *testing.T) {
	of, opened := &recording{}, 0
	lw := OfClient(of, "deployments", nil, func() interop.Client[*unstructured.UnstructuredList] { opened++; return of })
	require.Zero(t, opened)
	_, err := lw.List(metav1.ListOptions{})
	require.NoError(t, err)
	_, err = lw.Watch(metav1.ListOptions{})
	require.NoError(t, err)
	require.Equal(t, 2, opened)
}

type recording struct{ asked []string }

func (r *recording) List(_ context.Context, options metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	r.asked = append(r.asked, "list "+options.LabelSelector)
	return &unstructured.UnstructuredList{}, nil
}

func (r *recording) Watch(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
	r.asked = append(r.asked, "watch "+options.LabelSelector)
	return nil, nil
}
