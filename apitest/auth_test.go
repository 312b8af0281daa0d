package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/rest"
)

// serveRequest returns the response to a request with headers, given as pairs.
func serveRequest(srv *Server, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	response := httptest.NewRecorder()
	srv.ServeHTTP(response, r)
	return response
}

// A bearer token identifies the user. A request without one is anonymous
// (authentication: anonymous requests).
func TestAuthentication(t *testing.T) {
	var asked Attributes
	srv := NewServer(Options{InMemory: true, Tokens: map[string]User{"t1": {Name: "jane", Groups: []string{"devs"}}}, Authorize: func(a Attributes) (bool, string) {
		asked = a
		return true, ""
	}})
	defer srv.Close()
	const path = "/api/v1/namespaces/a/pods"
	for _, c := range []struct {
		header, name string
		groups       []string
	}{
		{"Bearer t1", "jane", []string{"devs", "system:authenticated"}},
		{"bearer  t1 ", "jane", []string{"devs", "system:authenticated"}},
		{"Bearer " + srv.Config().BearerToken, "admin", []string{"system:masters", "system:authenticated"}},
		{"", "system:anonymous", []string{"system:unauthenticated"}},
		{"Bearer", "system:anonymous", []string{"system:unauthenticated"}},
		{"Basic YTpi", "system:anonymous", []string{"system:unauthenticated"}},
	} {
		require.Equal(t, 200, serveRequest(srv, "GET", path, "Authorization", c.header).Code, c.header)
		require.Equal(t, c.name, asked.User.Name, c.header)
		require.Equal(t, c.groups, asked.User.Groups, c.header)
	}
	unauthorized := serveRequest(srv, "GET", path, "Authorization", "Bearer other")
	require.Equal(t, 401, unauthorized.Code)
	require.JSONEq(t, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}`, unauthorized.Body.String())
	srv.ExpireToken("t1")
	require.Equal(t, 401, serveRequest(srv, "GET", path, "Authorization", "Bearer t1").Code)
	srv.RestoreToken("t1")
	require.Equal(t, 200, serveRequest(srv, "GET", path, "Authorization", "Bearer t1").Code)
}

// Attributes are those of the documentation page on authorization.
func TestAttributes(t *testing.T) {
	var asked Attributes
	srv := NewServer(Options{InMemory: true, Authorize: func(a Attributes) (bool, string) {
		asked = a
		return false, "because"
	}})
	defer srv.Close()
	for _, c := range []struct{ method, path, words string }{
		{"GET", "/api/v1/namespaces/a/pods", `pods is forbidden: User "admin" cannot list resource "pods" in API group "" in the namespace "a": because`},
		{"GET", "/apis/apps/v1/deployments", `deployments.apps is forbidden: User "admin" cannot list resource "deployments" in API group "apps" at the cluster scope: because`},
		{"GET", "/api/v1/namespaces/a/pods/x/status", `pods "x" is forbidden: User "admin" cannot get resource "pods/status" in API group "" in the namespace "a": because`},
		{"GET", "/api/v1/namespaces/a", `namespaces "a" is forbidden: User "admin" cannot get resource "namespaces" in API group "" in the namespace "a": because`},
		{"GET", "/api/v1/pods?fieldSelector=metadata.name%3Dx", `pods "x" is forbidden: User "admin" cannot list resource "pods" in API group "" at the cluster scope: because`},
		{"GET", "/api/v1/foos", `foos is forbidden: User "admin" cannot list resource "foos" in API group "" at the cluster scope: because`},
		{"DELETE", "/api/v1/namespaces/a/pods", `pods is forbidden: User "admin" cannot deletecollection resource "pods" in API group "" in the namespace "a": because`},
		{"GET", "/foo/<bar>", `forbidden: User "admin" cannot get path "/foo/&lt;bar&gt;": because`},
	} {
		response := serveRequest(srv, c.method, c.path)
		require.Equal(t, 403, response.Code)
		require.Equal(t, "nosniff", response.Header().Get("X-Content-Type-Options"))
		var status metav1.Status
		require.NoError(t, json.Unmarshal(response.Body.Bytes(), &status))
		require.Equal(t, c.words, status.Message)
	}
	serveRequest(srv, "GET", "/api/v1/namespaces/a/pods/x/status")
	require.Equal(t, Attributes{User: asked.User, Verb: "get", Version: "v1", Resource: "pods", Subresource: "status", Namespace: "a", Name: "x", Path: "/api/v1/namespaces/a/pods/x/status", Request: asked.Request}, asked)
}

// Without a hook, authenticated users may do everything, and anonymous users
// may read health and version.
func TestDefaultAuthorization(t *testing.T) {
	srv := NewServer(Options{InMemory: true, Tokens: map[string]User{"t1": {Name: "jane"}}})
	defer srv.Close()
	require.Equal(t, 200, serveRequest(srv, "GET", "/api/v1/pods", "Authorization", "Bearer t1").Code)
	require.Equal(t, 403, serveRequest(srv, "GET", "/api/v1/pods").Code)
	require.Equal(t, 403, serveRequest(srv, "GET", "/api").Code)
	require.Equal(t, 200, serveRequest(srv, "GET", "/healthz").Code)
	require.Equal(t, 200, serveRequest(srv, "GET", "/version").Code)
}

// The Impersonate- headers are accepted from administrators, and from users
// that the hook authorizes.
func TestImpersonation(t *testing.T) {
	var asked []Attributes
	srv := NewServer(Options{InMemory: true, Tokens: map[string]User{"t1": {Name: "jane"}, "t2": {Name: "joe"}}, Authorize: func(a Attributes) (bool, string) {
		asked = append(asked, a)
		return a.Verb != "impersonate" || a.User.Name == "jane", ""
	}})
	defer srv.Close()
	admin := "Bearer " + srv.Config().BearerToken
	last := func() User { return asked[len(asked)-1].User }
	const path = "/api/v1/pods"
	require.Equal(t, 200, serveRequest(srv, "GET", path, "Authorization", admin, "Impersonate-User", "z", "Impersonate-Group", "g", "Impersonate-Group", "h", "Impersonate-Uid", "1", "Impersonate-Extra-Some%2FThing", "v").Code)
	require.Equal(t, User{Name: "z", UID: "1", Groups: []string{"g", "h", "system:authenticated"}, Extra: map[string][]string{"some/thing": {"v"}}}, last())
	require.Equal(t, 200, serveRequest(srv, "GET", path, "Authorization", admin, "Impersonate-User", "system:serviceaccount:a:b").Code)
	require.Equal(t, []string{"system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"}, last().Groups)
	require.Equal(t, 200, serveRequest(srv, "GET", path, "Authorization", admin, "Impersonate-User", "system:anonymous").Code)
	require.Equal(t, []string{"system:unauthenticated"}, last().Groups)
	require.Equal(t, 200, serveRequest(srv, "GET", path, "Authorization", "Bearer t1", "Impersonate-User", "z").Code)
	require.Equal(t, "z", last().Name)
	refused := serveRequest(srv, "GET", path, "Authorization", "Bearer t2", "Impersonate-User", "z")
	require.Equal(t, 403, refused.Code)
	require.Contains(t, refused.Body.String(), `pods is forbidden: User \"joe\" cannot impersonate-on:user-info:list resource \"pods\"`)
	require.Equal(t, 400, serveRequest(srv, "GET", path, "Authorization", admin, "Impersonate-Group", "g").Code)
}

// Warnings have the form of RFC 7234 (5.5).
func TestWarnings(t *testing.T) {
	srv := NewServer(Options{InMemory: true, Warn: func(a Attributes) []string { return []string{`use "pods" no more`} }})
	defer srv.Close()
	require.Equal(t, `299 - "use \"pods\" no more"`, serveRequest(srv, "GET", "/api/v1/pods").Header().Get("Warning"))
}

// With tokens, Config returns the configuration of an administrator.
func TestConfigHasToken(t *testing.T) {
	srv := NewServer(Options{InMemory: true, Tokens: map[string]User{}})
	defer srv.Close()
	client, err := rest.New(srv.Config())
	require.NoError(t, err)
	defer client.Close()
	_, err = rest.NewView[*metav1.PartialObjectMetadata](client, configMaps).Namespace("a").Get(t.Context(), "x", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
}

// After a panic, the request gets a response, and the log has an entry.
func TestPanicsGetAResponse(t *testing.T) {
	var logged bytes.Buffer
	srv := NewServer(Options{InMemory: true, Logger: slog.New(slog.NewTextHandler(&logged, nil)), Authorize: func(Attributes) (bool, string) { panic("no!") }})
	defer srv.Close()
	response := serveRequest(srv, http.MethodGet, "/api/v1/pods")
	require.Equal(t, 500, response.Code)
	require.Equal(t, "This request caused apiserver to panic. Look in the logs for details.\n", response.Body.String())
	require.Contains(t, logged.String(), "no!")
	require.Contains(t, logged.String(), "TestPanicsGetAResponse", "the stack")
}

// An update or an apply of a missing object also needs permission to create it,
// as in the real server.
func TestImplicitCreatesAreAuthorized(t *testing.T) {
	verbs := map[string]bool{"update": true, "patch": true}
	srv := NewServer(Options{InMemory: true, Authorize: func(a Attributes) (bool, string) { return verbs[a.Verb], "" }})
	defer srv.Close()
	attempts := []struct{ method, path, kind string }{
		{"PUT", "/api/v1/namespaces/default/endpoints/a", "Endpoints"},
		{"PATCH", "/api/v1/namespaces/default/configmaps/a?fieldManager=m", "ConfigMap"},
	}
	send := func(method, path, kind string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(fmt.Sprintf(`{"apiVersion":"v1","kind":%q,"metadata":{"name":"a"}}`, kind)))
		r.Header.Set("Content-Type", map[string]string{"PUT": "application/json", "PATCH": "application/apply-patch+yaml"}[method])
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, r)
		return w
	}
	for _, a := range attempts {
		refused := send(a.method, a.path, a.kind)
		require.Equal(t, 403, refused.Code, a.path)
		require.Contains(t, refused.Body.String(), `cannot create resource`)
	}
	verbs["create"] = true
	for _, a := range attempts {
		require.Equal(t, 201, send(a.method, a.path, a.kind).Code, a.path)
	}
	delete(verbs, "create")
	for _, a := range attempts {
		require.Equal(t, 200, send(a.method, a.path, a.kind).Code, "an existing object is not created")
	}
}
