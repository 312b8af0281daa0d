package params

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Target is the resource in the path of a request.
type Target struct {
	schema.GroupVersionResource
	Namespace, Name, Subresource string
	// Watch and proxy are set by the deprecated paths that contain the word. Proxy
	// paths are no longer served.
	Watch, Proxy bool
	// Short is set when the path ends with that word.
	Short bool
	// Deeper is set when the path continues below the subresource.
	Deeper bool
}

// ParsePath parses /api/v1/... and /apis/group/version/...; it reports false
// for other paths. It does not depend on the served resources.
func ParsePath(path string) (t Target, ok bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		t.Version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		t.Group, t.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return t, false
	}
	if parts[0] == "watch" || parts[0] == "proxy" {
		t.Watch, t.Proxy, parts = parts[0] == "watch", parts[0] == "proxy", parts[1:]
		if len(parts) == 0 {
			t.Short = true
			return t, true
		}
	}
	if parts[0] == "namespaces" && len(parts) > 2 && !slices.Contains(namespaceSubresources, parts[2]) {
		t.Namespace, parts = parts[1], parts[2:]
	}
	t.Resource = parts[0]
	if len(parts) > 1 {
		t.Name = parts[1]
	}
	if len(parts) > 2 {
		t.Subresource = parts[2]
	}
	t.Deeper = len(parts) > 3
	return t, true
}

// namespaceSubresources are the subresources of a namespace. Any other word
// after the name of a namespace is a resource in it.
var namespaceSubresources = []string{"status", "finalize"}

// VerbOf returns the verb of a request, "" if there is none.
func VerbOf(r *http.Request, at Target, query url.Values) string {
	switch {
	case at.Watch:
		return "watch"
	case at.Proxy:
		return "proxy"
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		switch {
		case at.Name != "":
			return "get"
		case isSet(query, "watch"):
			return "watch"
		}
		return "list"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		if at.Name == "" {
			return "deletecollection"
		}
		return "delete"
	}
	return ""
}

// MethodVerb returns the verb for paths other than resources.
func MethodVerb(method string) string { return strings.ToLower(method) }
