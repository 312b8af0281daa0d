package params

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Paths name resources according to the API concepts page, "resource URIs".
func TestPathsOfResources(t *testing.T) {
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	namespaces := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	deployments := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	for path, want := range map[string]Target{
		"/api/v1/pods":                                     {GroupVersionResource: pods},
		"/api/v1/pods/":                                    {GroupVersionResource: pods},
		"/api/v1/namespaces/a/pods":                        {GroupVersionResource: pods, Namespace: "a"},
		"/api/v1/namespaces//pods":                         {GroupVersionResource: pods},
		"/api/v1/namespaces/a/pods/x":                      {GroupVersionResource: pods, Namespace: "a", Name: "x"},
		"/api/v1/namespaces/a/pods/x/status":               {GroupVersionResource: pods, Namespace: "a", Name: "x", Subresource: "status"},
		"/api/v1/namespaces/a/pods/x/status/y":             {GroupVersionResource: pods, Namespace: "a", Name: "x", Subresource: "status", Deeper: true},
		"/api/v1/namespaces":                               {GroupVersionResource: namespaces},
		"/api/v1/namespaces/a":                             {GroupVersionResource: namespaces, Name: "a"},
		"/api/v1/namespaces/a/status":                      {GroupVersionResource: namespaces, Name: "a", Subresource: "status"},
		"/api/v1/namespaces/a/finalize":                    {GroupVersionResource: namespaces, Name: "a", Subresource: "finalize"},
		"/api/v1/watch/namespaces/a/pods/x":                {GroupVersionResource: pods, Namespace: "a", Name: "x", Watch: true},
		"/api/v1/watch/namespaces/a":                       {GroupVersionResource: namespaces, Name: "a", Watch: true},
		"/api/v1/watch":                                    {GroupVersionResource: schema.GroupVersionResource{Version: "v1"}, Watch: true, Short: true},
		"/api/v1/proxy/pods":                               {GroupVersionResource: pods, Proxy: true},
		"/apis/apps/v1/deployments":                        {GroupVersionResource: deployments},
		"/apis/apps/v1/namespaces/a/deployments/x/scale":   {GroupVersionResource: deployments, Namespace: "a", Name: "x", Subresource: "scale"},
		"/apis/apps/v1/watch/namespaces/a/deployments":     {GroupVersionResource: deployments, Namespace: "a", Watch: true},
		"/apis/apps/v1/namespaces/namespaces/deployments":  {GroupVersionResource: deployments, Namespace: "namespaces"},
		"/apis/apps/v1/watch/namespaces/watch/deployments": {GroupVersionResource: deployments, Namespace: "watch", Watch: true},
	} {
		got, ok := ParsePath(path)
		require.True(t, ok, path)
		require.Equal(t, want, got, path)
	}
	for _, path := range []string{"", "/", "/api", "/api/v1", "/api/v1/", "/apis", "/apis/apps", "/apis/apps/v1", "/apis/apps/v1/", "/version", "/healthz/ping/x/y"} {
		_, ok := ParsePath(path)
		require.False(t, ok, path)
	}
}

// The verb depends on the method, and on whether there is a name.
func TestVerbs(t *testing.T) {
	for _, c := range []struct{ method, path, want string }{
		{"GET", "/api/v1/pods", "list"}, {"GET", "/api/v1/pods?watch=1", "watch"}, {"GET", "/api/v1/pods?watch=false", "list"}, {"GET", "/api/v1/pods?watch=FALSE", "list"},
		{"GET", "/api/v1/pods?watch", "watch"}, {"GET", "/api/v1/namespaces/a?watch=true", "get"}, {"HEAD", "/api/v1/namespaces/a", "get"},
		{"POST", "/api/v1/pods", "create"}, {"PUT", "/api/v1/namespaces/a", "update"}, {"PATCH", "/api/v1/namespaces/a", "patch"},
		{"DELETE", "/api/v1/namespaces/a", "delete"}, {"DELETE", "/api/v1/pods", "deletecollection"}, {"FOO", "/api/v1/pods", ""},
		{"POST", "/api/v1/watch/pods", "watch"}, {"GET", "/api/v1/proxy/pods", "proxy"},
	} {
		r := httptest.NewRequest(c.method, c.path, nil)
		at, _ := ParsePath(r.URL.Path)
		require.Equal(t, c.want, VerbOf(r, at, r.URL.Query()), "%s %s", c.method, c.path)
	}
}
