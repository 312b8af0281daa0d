package apitest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// target is what the path of a request names.
type target struct {
	schema.GroupVersionResource
	namespace, name, subresource string
	// watch is set by the deprecated paths with the word in them. proxy is the
	// other such word: nothing is served there any more.
	watch, proxy bool
	// short is set when the path ends with that word.
	short bool
	// deeper is set when the path goes on below the subresource.
	deeper bool
}

// parsePath reads /api/v1/... and /apis/group/version/...; it reports false for
// paths that are not those of resources. It knows nothing of what is
// served.
func parsePath(path string) (t target, ok bool) {
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
		t.watch, t.proxy, parts = parts[0] == "watch", parts[0] == "proxy", parts[1:]
		if len(parts) == 0 {
			t.short = true
			return t, true
		}
	}
	if parts[0] == "namespaces" && len(parts) > 2 && !slices.Contains(namespaceSubresources, parts[2]) {
		t.namespace, parts = parts[1], parts[2:]
	}
	t.Resource = parts[0]
	if len(parts) > 1 {
		t.name = parts[1]
	}
	if len(parts) > 2 {
		t.subresource = parts[2]
	}
	t.deeper = len(parts) > 3
	return t, true
}

// namespaceSubresources are those of a namespace itself: any other word after
// its name is a resource in it.
var namespaceSubresources = []string{"status", "finalize"}

// verbOf is what a request wants of its target, "" for what is no verb.
func verbOf(r *http.Request, at target, query url.Values) string {
	switch {
	case at.watch:
		return "watch"
	case at.proxy:
		return "proxy"
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		switch {
		case at.name != "":
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
		if at.name == "" {
			return "deletecollection"
		}
		return "delete"
	}
	return ""
}

// methodVerb is the verb of a path that is not of a resource.
func methodVerb(method string) string { return strings.ToLower(method) }
