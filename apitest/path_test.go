package apitest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Paths name resources as the API concepts page has it: "resource URIs".
func TestPathsOfResources(t *testing.T) {
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	namespaces := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	deployments := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	for path, want := range map[string]target{
		"/api/v1/pods":                                     {GroupVersionResource: pods},
		"/api/v1/pods/":                                    {GroupVersionResource: pods},
		"/api/v1/namespaces/a/pods":                        {GroupVersionResource: pods, namespace: "a"},
		"/api/v1/namespaces//pods":                         {GroupVersionResource: pods},
		"/api/v1/namespaces/a/pods/x":                      {GroupVersionResource: pods, namespace: "a", name: "x"},
		"/api/v1/namespaces/a/pods/x/status":               {GroupVersionResource: pods, namespace: "a", name: "x", subresource: "status"},
		"/api/v1/namespaces/a/pods/x/status/y":             {GroupVersionResource: pods, namespace: "a", name: "x", subresource: "status", deeper: true},
		"/api/v1/namespaces":                               {GroupVersionResource: namespaces},
		"/api/v1/namespaces/a":                             {GroupVersionResource: namespaces, name: "a"},
		"/api/v1/namespaces/a/status":                      {GroupVersionResource: namespaces, name: "a", subresource: "status"},
		"/api/v1/namespaces/a/finalize":                    {GroupVersionResource: namespaces, name: "a", subresource: "finalize"},
		"/api/v1/watch/namespaces/a/pods/x":                {GroupVersionResource: pods, namespace: "a", name: "x", watch: true},
		"/api/v1/watch/namespaces/a":                       {GroupVersionResource: namespaces, name: "a", watch: true},
		"/api/v1/watch":                                    {GroupVersionResource: schema.GroupVersionResource{Version: "v1"}, watch: true, short: true},
		"/api/v1/proxy/pods":                               {GroupVersionResource: pods, proxy: true},
		"/apis/apps/v1/deployments":                        {GroupVersionResource: deployments},
		"/apis/apps/v1/namespaces/a/deployments/x/scale":   {GroupVersionResource: deployments, namespace: "a", name: "x", subresource: "scale"},
		"/apis/apps/v1/watch/namespaces/a/deployments":     {GroupVersionResource: deployments, namespace: "a", watch: true},
		"/apis/apps/v1/namespaces/namespaces/deployments":  {GroupVersionResource: deployments, namespace: "namespaces"},
		"/apis/apps/v1/watch/namespaces/watch/deployments": {GroupVersionResource: deployments, namespace: "watch", watch: true},
	} {
		got, ok := parsePath(path)
		require.True(t, ok, path)
		require.Equal(t, want, got, path)
	}
	for _, path := range []string{"", "/", "/api", "/api/v1", "/api/v1/", "/apis", "/apis/apps", "/apis/apps/v1", "/apis/apps/v1/", "/version", "/healthz/ping/x/y"} {
		_, ok := parsePath(path)
		require.False(t, ok, path)
	}
}

// The verb follows from the method and from whether there is a name.
func TestVerbs(t *testing.T) {
	for _, c := range []struct{ method, path, want string }{
		{"GET", "/api/v1/pods", "list"}, {"GET", "/api/v1/pods?watch=1", "watch"}, {"GET", "/api/v1/pods?watch=false", "list"}, {"GET", "/api/v1/pods?watch=FALSE", "list"},
		{"GET", "/api/v1/pods?watch", "watch"}, {"GET", "/api/v1/namespaces/a?watch=true", "get"}, {"HEAD", "/api/v1/namespaces/a", "get"},
		{"POST", "/api/v1/pods", "create"}, {"PUT", "/api/v1/namespaces/a", "update"}, {"PATCH", "/api/v1/namespaces/a", "patch"},
		{"DELETE", "/api/v1/namespaces/a", "delete"}, {"DELETE", "/api/v1/pods", "deletecollection"}, {"FOO", "/api/v1/pods", ""},
		{"POST", "/api/v1/watch/pods", "watch"}, {"GET", "/api/v1/proxy/pods", "proxy"},
	} {
		r := httptest.NewRequest(c.method, c.path, nil)
		at, _ := parsePath(r.URL.Path)
		require.Equal(t, c.want, verbOf(r, at, r.URL.Query()), "%s %s", c.method, c.path)
	}
}

// Each kind of resource has its own words for what it does not serve.
func TestRoutes(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	srv.registry.change(func(served map[schema.GroupVersionResource]*resource) {
		widgets := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
		res := &resource{custom: true, Resource: Resource{Status: true}}
		res.GroupVersionResource, res.Namespaced, res.Kind = widgets, true, "Widget"
		served[widgets] = res
	})
	const (
		noResource = "the server could not find the requested resource"
		noMethod   = "the server does not allow this method on the requested resource"
		noPath     = "404 page not found"
	)
	for _, c := range []struct{ method, path, words string }{
		{"GET", "/api/v1/pods", ""}, {"POST", "/api/v1/pods", noMethod}, {"DELETE", "/api/v1/pods", noMethod},
		{"GET", "/api/v1/foos", noResource}, {"GET", "/api/v2/pods", noResource}, {"GET", "/apis/apps/v7/deployments", noResource}, {"GET", "/apis/none/v1/foos", noPath},
		{"GET", "/api/v1/pods/x", noResource}, {"GET", "/api/v1/namespaces/a/nodes", noResource},
		{"GET", "/api/v1/namespaces/a/pods/x/y", noResource}, {"GET", "/api/v1/namespaces/a/pods/x/status/y", noResource}, {"GET", "/api/v1/namespaces/a/configmaps/x/status", noResource},
		{"PUT", "/api/v1/namespaces/a/pods", noMethod}, {"HEAD", "/api/v1/namespaces/a/pods/x", noMethod}, {"POST", "/api/v1/namespaces/a/pods/x/status", noMethod},
		{"DELETE", "/api/v1/namespaces", noMethod}, {"DELETE", "/api/v1/nodes", ""}, {"POST", "/api/v1/watch/pods", noMethod}, {"GET", "/api/v1/proxy/pods", noResource},
		{"GET", "/api/v1/watch/namespaces/a/pods/x/status", noResource},
		{"GET", "/api/v1/namespaces/a/pods/..", `Name parameter invalid: "..": may not be '..'`}, {"GET", "/api/v1/namespaces/a/pods/x%25y", `Name parameter invalid: "x%y": may not contain '%'`},
		{"GET", "/apis/example.com/v1/widgets", ""}, {"POST", "/apis/example.com/v1/widgets", noPath}, {"GET", "/apis/example.com/v1/widgets/x", noPath},
		{"GET", "/apis/example.com/v1/foos", noPath}, {"GET", "/apis/example.com/v7/widgets", noPath},
		{"HEAD", "/apis/example.com/v1/namespaces/a/widgets/x", ""}, {"GET", "/apis/example.com/v1/namespaces/a/widgets/x/status/y", ""},
		{"FOO", "/apis/example.com/v1/namespaces/a/widgets/x", ` is not supported on resources of kind "widgets.example.com"`},
		{"DELETE", "/apis/example.com/v1/namespaces/a/widgets/x/status", `delete is not supported on resources of kind "widgets.example.com"`},
		{"GET", "/apis/example.com/v1/namespaces/a/widgets/x/scale", `widgets.example.com "x" not found`},
		{"PUT", "/apis/example.com/v1/namespaces/a/widgets", "name must be provided"},
	} {
		r := httptest.NewRequest(c.method, c.path, nil)
		at, ok := parsePath(r.URL.Path)
		require.True(t, ok)
		_, err := srv.route(at, verbOf(r, at, r.URL.Query()), c.method)
		if c.words == "" {
			require.NoError(t, err, "%s %s", c.method, c.path)
		} else {
			require.EqualError(t, err, c.words, "%s %s", c.method, c.path)
		}
	}
}

// Whatever the path is, there is an answer.
func FuzzParsePath(f *testing.F) {
	for _, path := range []string{"/api/v1/namespaces/a/pods/x/status", "//api//v1", "/apis/a/b/watch", "/api/v1/watch//", "/%2e%2e/api"} {
		f.Add(path)
	}
	srv := NewServer(Options{InMemory: true})
	f.Cleanup(srv.Close)
	f.Fuzz(func(t *testing.T, path string) {
		answer := httptest.NewRecorder()
		srv.ServeHTTP(answer, &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path, RawQuery: "timeoutSeconds=-1"}, Header: http.Header{}})
		require.NotEqual(t, 0, answer.Code)
		if at, ok := parsePath(path); ok && !at.short && at.Resource != "" {
			require.NotContains(t, at.Resource+at.name+at.namespace+at.subresource, "/")
		}
	})
}
