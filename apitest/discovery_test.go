package apitest

import (
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/rest"
	"github.com/thinformer/thinformer/rest/discovery"
)

func decodeDocument(t *testing.T, response *httptest.ResponseRecorder) (document map[string]any) {
	t.Helper()
	require.Equal(t, 200, response.Code, "%s", response.Body)
	require.NoError(t, json.Unmarshal(response.Body.Bytes(), &document))
	return document
}

// Versions are listed in the order of preference (API concepts: version
// priority), and groups that are not served are not listed.
func TestCatalogOrder(t *testing.T) {
	srv := NewServer(Options{InMemory: true, NoBuiltinKinds: true})
	defer srv.Close()
	for _, version := range []string{"v1beta1", "v2", "v1", "v10", "v1alpha1"} {
		require.NoError(t, srv.Register(Resource{ResourceInfo: rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: "b.example.com", Version: version, Resource: "widgets"}, Kind: "Widget"}}))
	}
	require.NoError(t, srv.Register(Resource{ResourceInfo: rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: "a.example.com", Version: "v1", Resource: "gadgets"}, Kind: "Gadget"}}))
	require.NoError(t, srv.Register(Resource{ResourceInfo: rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, Kind: "Deployment"}}))
	var list metav1.APIGroupList
	require.NoError(t, json.Unmarshal(serveRequest(srv, "GET", "/apis").Body.Bytes(), &list))
	var names, versions []string
	for _, group := range list.Groups {
		names = append(names, group.Name)
	}
	require.Equal(t, []string{"apps", "a.example.com", "b.example.com"}, names)
	for _, version := range list.Groups[2].Versions {
		versions = append(versions, version.Version)
	}
	require.Equal(t, []string{"v10", "v2", "v1", "v1beta1", "v1alpha1"}, versions)
	require.Equal(t, "v10", list.Groups[2].PreferredVersion.Version)
}

// The discovery client of this module finds every built-in kind.
func TestDiscoveryByOurClient(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	require.NoError(t, err)
	defer client.Close()
	mapper := discovery.NewMapper(discovery.NewClient(client))
	for _, res := range srv.registry.All() {
		found, err := mapper.ForKind(t.Context(), res.GroupVersion().WithKind(res.Kind))
		require.NoError(t, err)
		require.Equal(t, res.ResourceInfo, found.ResourceInfo)
	}
}

// A client with the current aggregated response gets a 304.
func TestDiscoveryETag(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	first := serveRequest(srv, "GET", "/apis", "Accept", accept)
	require.Equal(t, 200, first.Code)
	require.Equal(t, accept, first.Header().Get("Content-Type"))
	tag := first.Header().Get("ETag")
	require.Equal(t, 304, serveRequest(srv, "GET", "/apis", "Accept", accept, "If-None-Match", tag).Code)
	require.NoError(t, srv.Register(Resource{ResourceInfo: rest.ResourceInfo{GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}, Kind: "Widget"}}))
	require.Equal(t, 200, serveRequest(srv, "GET", "/apis", "Accept", accept, "If-None-Match", tag).Code)
	require.Equal(t, 406, serveRequest(srv, "GET", "/apis", "Accept", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList").Code)
}

// kubectl leaves validation to a server whose PATCH has the parameter
// fieldValidation.
func TestOpenAPINamesFieldValidation(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	paths := decodeDocument(t, serveRequest(srv, "GET", "/openapi/v3"))["paths"].(map[string]any)
	path := paths["apis/apps/v1"].(map[string]any)["serverRelativeURL"].(string)
	doc := decodeDocument(t, serveRequest(srv, "GET", path))
	patch := doc["paths"].(map[string]any)["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"].(map[string]any)["patch"].(map[string]any)
	require.Equal(t, map[string]any{"group": "apps", "version": "v1", "kind": "Deployment"}, patch["x-kubernetes-group-version-kind"])
	require.Contains(t, patch["parameters"], map[string]any{"name": "fieldValidation", "in": "query", "schema": map[string]any{"type": "string", "uniqueItems": true}})
	require.Equal(t, 404, serveRequest(srv, "GET", "/openapi/v3/apis/none/v1").Code)
}

// Health responds with one word, or with one line per check.
func TestHealth(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	for path, want := range map[string]string{
		"/healthz": "ok", "/readyz": "ok", "/healthz/ping": "ok",
		"/readyz?verbose": "[+]ping ok\n[+]log ok\n[+]etcd ok\nreadyz check passed\n",
	} {
		require.Equal(t, want, serveRequest(srv, "GET", path).Body.String(), path)
	}
	require.Equal(t, 404, serveRequest(srv, "GET", "/healthz/none").Code)
	require.Equal(t, registry.KubernetesVersion, decodeDocument(t, serveRequest(srv, "GET", "/version"))["gitVersion"])
	require.Equal(t, 405, serveRequest(srv, "POST", "/version").Code)
	require.Contains(t, decodeDocument(t, serveRequest(srv, "GET", "/"))["paths"], "/apis/apps/v1")
}
