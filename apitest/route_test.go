package apitest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/params"
	"github.com/thinformer/thinformer/apitest/internal/registry"
)

// Each kind of resource has its own errors for paths that are not served.
func TestRoutes(t *testing.T) {
	srv := NewServer(Options{InMemory: true})
	defer srv.Close()
	srv.registry.Change(func(served map[schema.GroupVersionResource]*registry.Resource) {
		widgets := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
		res := &registry.Resource{Custom: true, Info: registry.Info{Status: true}}
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
		at, ok := params.ParsePath(r.URL.Path)
		require.True(t, ok)
		_, err := srv.registry.Route(at, params.VerbOf(r, at, r.URL.Query()), c.method)
		if c.words == "" {
			require.NoError(t, err, "%s %s", c.method, c.path)
		} else {
			require.EqualError(t, err, c.words, "%s %s", c.method, c.path)
		}
	}
}

// Every path gets a response.
func FuzzParsePath(f *testing.F) {
	for _, path := range []string{"/api/v1/namespaces/a/pods/x/status", "//api//v1", "/apis/a/b/watch", "/api/v1/watch//", "/%2e%2e/api"} {
		f.Add(path)
	}
	srv := NewServer(Options{InMemory: true})
	f.Cleanup(srv.Close)
	f.Fuzz(func(t *testing.T, path string) {
		response := httptest.NewRecorder()
		srv.ServeHTTP(response, &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path, RawQuery: "timeoutSeconds=-1"}, Header: http.Header{}})
		require.NotEqual(t, 0, response.Code)
		if at, ok := params.ParsePath(path); ok && !at.Short && at.Resource != "" {
			require.NotContains(t, at.Resource+at.Name+at.Namespace+at.Subresource, "/")
		}
	})
}
