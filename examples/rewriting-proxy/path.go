package main

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// target is the target of a request, according to its path and query.
type target struct {
	resource schema.GroupResource
	name     string
	watch    bool
}

// targetOf parses a request as an API server does; ok is false for paths that do not
// refer to an object, such as /version, /openapi/v3 and the log of a pod.
func targetOf(method string, u *url.URL) (t target, ok bool) {
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) > 2: // api/v1/...
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3: // apis/group/version/...
		t.resource.Group, parts = parts[1], parts[3:]
	default:
		return t, false
	}
	old := parts[0] == "watch" // /api/v1/watch/pods: deprecated, but still served
	if old {
		parts = parts[1:]
	}
	// /namespaces/default/pods are pods, /namespaces/default/status is a namespace.
	if len(parts) > 2 && parts[0] == "namespaces" && !objectSubresources[parts[2]] {
		parts = parts[2:]
	}
	if len(parts) == 0 {
		return t, false
	}
	if len(parts) > 2 && !objectSubresources[parts[2]] {
		return t, false
	}
	t.resource.Resource, t.name = parts[0], append(parts, "")[1]
	t.watch = method == http.MethodGet && (old || t.name == "" && isSet(u.Query()["watch"]))
	return t, true
}

// objectSubresources are the subresources that return the object itself and write a part of it.
// Other subresources have their own type.
var objectSubresources = map[string]bool{
	"status": true, "finalize": true, "approval": true, "ephemeralcontainers": true, "resize": true,
}

// isSet reports whether a parameter is set, as an API server decides it.
func isSet(values []string) (set bool) {
	_ = runtime.Convert_Slice_string_To_bool(&values, &set, nil) // never fails
	return set
}

// list reports whether the response is a list; that of a delete may be one, too.
func (t target) list(method string) bool {
	return t.name == "" && (method == http.MethodGet || method == http.MethodDelete)
}

// isClean reports whether a path is unambiguous. A path that the API server interprets
// otherwise would bypass the rules.
func isClean(p string) bool {
	return p != "" && path.Clean(p) == strings.TrimRight(p, "/") || p == "/"
}
