package apitest

import (
	"net/http"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// target is what the path of a request names.
type target struct {
	schema.GroupVersionResource
	namespace, name, subresource string
	// watch is set by the deprecated paths with the word in them.
	watch bool
}

// parsePath reads /api/v1/... and /apis/group/version/...; it reports false for
// paths that are not those of resources.
func parsePath(path string) (target, bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	var t target
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		t.Version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		t.Group, t.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return t, false
	}
	if parts[0] == "watch" && len(parts) > 1 {
		t.watch, parts = true, parts[1:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 && !(len(parts) == 3 && (parts[2] == "status" || parts[2] == "finalize")) {
		t.namespace, parts = parts[1], parts[2:]
	}
	t.Resource, parts = parts[0], parts[1:]
	if len(parts) > 0 {
		t.name, parts = parts[0], parts[1:]
	}
	t.subresource = strings.Join(parts, "/")
	return t, true
}

// call is one request to a resource, understood so far as its address goes.
type call struct {
	server *Server
	w      http.ResponseWriter
	r      *http.Request
	query  url.Values
	user   User
	verb   string
	target
	resource *resource
}

// serve answers a request that no fault has stopped.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	at, ok := parsePath(r.URL.Path)
	if !ok {
		s.servePath(w, r)
		return
	}
	c := &call{server: s, w: w, r: r, query: r.URL.Query(), target: at}
	c.verb = verbOf(r, at, c.query)
	c.resource = s.registry.find(at.GroupVersionResource)
	if c.resource == nil {
		http.Error(w, "404 page not found", http.StatusNotFound)
		return
	}
	if err := c.do(); err != nil {
		fail(w, err)
	}
}

// servePath answers what is not a resource: discovery, health, the version.
func (s *Server) servePath(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/healthz", "/readyz", "/livez":
		w.Write([]byte("ok"))
	default:
		http.NotFound(w, r)
	}
}

func verbOf(r *http.Request, at target, query url.Values) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if at.watch || at.name == "" && isSet(query, "watch") {
			return "watch"
		}
		if at.name == "" {
			return "list"
		}
		return "get"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		if at.name == "" {
			return "deletecollection"
		}
		return "delete"
	}
	return ""
}

// methodVerb is the verb of a path that is not of a resource.
func methodVerb(method string) string { return strings.ToLower(method) }

// do runs the verb. What it returns is the answer if nothing was written yet.
func (c *call) do() error {
	switch c.verb {
	case "get":
		return c.get()
	case "watch":
		return c.watch()
	case "create":
		return c.create()
	case "update":
		return c.update()
	case "delete":
		return c.delete()
	}
	return apierrors.NewMethodNotSupported(c.GroupResource(), c.verb)
}

// get answers with one object.
func (c *call) get() error {
	found := c.resource.table.get(key{c.namespace, c.name})
	if found == nil {
		return apierrors.NewNotFound(c.GroupResource(), c.name)
	}
	c.w.Header().Set("Content-Type", "application/json")
	_, err := c.w.Write(found.raw)
	return err
}
