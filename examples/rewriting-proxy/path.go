package main

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// target is what a request is about, as far as its path and query say.
type target struct {
	resource schema.GroupResource
	name     string
	watch    bool
}

// targetOf reads a request as an API server does; false is a path that leads to
// no object, as those of /version, /openapi/v3 and the log of a pod.
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
	old := parts[0] == "watch" // /api/v1/watch/pods: deprecated, and served to this day
	if old {
		parts = parts[1:]
	}
	// /namespaces/default/pods are pods, /namespaces/default/status is a namespace.
	if len(parts) > 2 && parts[0] == "namespaces" && !whole[parts[2]] {
		parts = parts[2:]
	}
	if len(parts) == 0 {
		return t, false
	}
	if len(parts) > 2 && !whole[parts[2]] {
		return t, false
	}
	t.resource.Resource, t.name = parts[0], append(parts, "")[1]
	t.watch = method == http.MethodGet && (old || t.name == "" && asked(u.Query()["watch"]))
	return t, true
}

// whole are the subresources that are the object itself, in a part of which they
// write. What else hangs on an object is another thing.
var whole = map[string]bool{
	"status": true, "finalize": true, "approval": true, "ephemeralcontainers": true, "resize": true,
}

// asked is whether a parameter is set, in the eyes of an API server.
func asked(values []string) (set bool) {
	_ = runtime.Convert_Slice_string_To_bool(&values, &set, nil) // it cannot fail
	return set
}

// list is whether the answer is a list: that of a delete may be one too.
func (t target) list(method string) bool {
	return t.name == "" && (method == http.MethodGet || method == http.MethodDelete)
}

// clean is whether a path has one reading only. What stands for the same to the
// API server and not to us would get past the rules.
func clean(p string) bool {
	return p != "" && path.Clean(p) == strings.TrimRight(p, "/") || p == "/"
}
