package registry

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/params"
)

// ErrNotServed is the error for unknown paths. Its response is text, not a
// Status.
var ErrNotServed = errors.New("404 page not found")

// NotFound returns the error of a kube-apiserver for a path in a known group.
func NotFound() error {
	return apierrors.NewGenericServerResponse(http.StatusNotFound, "", schema.GroupResource{}, "", "", 0, false)
}

// NotAllowed returns the error of a kube-apiserver for a method that the path does
// not support.
func NotAllowed() error {
	return apierrors.NewGenericServerResponse(http.StatusMethodNotAllowed, "", schema.GroupResource{}, "", "", 0, false)
}

// Route returns the resource of a request, and checks the path and the method.
func (r *Registry) Route(at params.Target, verb, method string) (*Resource, error) {
	res := r.Find(at.GroupVersionResource)
	switch {
	case res == nil && (at.Group == "" || r.Compiled(at.Group)):
		return nil, NotFound()
	case res == nil:
		return nil, ErrNotServed
	case res.Custom:
		return res, res.routeCustom(at, verb)
	}
	return res, res.routeCompiled(at, verb, method)
}

// Compiled reports whether a group has resources other than custom resources.
func (r *Registry) Compiled(group string) bool {
	for at, res := range r.All() {
		if at.Group == group && !res.Custom {
			return true
		}
	}
	return false
}

// routeCompiled checks a request against the routes of a built-in kind.
func (r *Resource) routeCompiled(at params.Target, verb, method string) error {
	inNamespace := at.Namespace != ""
	switch {
	case at.Proxy, at.Deeper, inNamespace && !r.Namespaced, at.Name != "" && r.Namespaced && !inNamespace:
		return NotFound()
	case at.Watch && at.Subresource != "":
		return NotFound()
	case at.Watch:
		if method != http.MethodGet {
			return NotAllowed()
		}
		return nil
	}
	var allowed []string
	switch {
	case at.Subresource != "":
		if allowed = r.subresourceVerbs(at.Subresource); allowed == nil {
			return NotFound()
		}
	case at.Name != "":
		allowed = []string{"get", "update", "patch", "delete"}
	case r.Namespaced && !inNamespace:
		allowed = []string{"list", "watch"}
	case r.Builtin != nil && r.Builtin.OneByOne:
		allowed = []string{"list", "watch", "create"}
	default:
		allowed = []string{"list", "watch", "create", "deletecollection"}
	}
	if method == http.MethodHead || !slices.Contains(allowed, verb) {
		return NotAllowed()
	}
	return validName(at, verb)
}

// subresourceVerbs returns nil if there is no such subresource.
func (r *Resource) subresourceVerbs(name string) []string {
	if r.Builtin != nil {
		if sub := r.Builtin.Subresource(name); sub != nil {
			return sub.Verbs
		}
		return nil
	}
	if name == "status" && r.Status || name == "scale" && r.Scale != nil {
		return []string{"get", "patch", "update"}
	}
	return nil
}

// routeCustom checks a request against the definition.
func (r *Resource) routeCustom(at params.Target, verb string) error {
	inNamespace := at.Namespace != ""
	switch {
	case at.Proxy, inNamespace && !r.Namespaced, r.Namespaced && !inNamespace && verb != "list" && verb != "watch":
		return ErrNotServed
	case at.Subresource != "" && r.subresourceVerbs(at.Subresource) == nil:
		return apierrors.NewNotFound(at.GroupResource(), at.Name)
	}
	allowed := []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	if at.Subresource != "" {
		allowed = r.subresourceVerbs(at.Subresource)
	}
	if !slices.Contains(allowed, verb) {
		return apierrors.NewMethodNotSupported(at.GroupResource(), verb)
	}
	if at.Name == "" && verb == "update" {
		return apierrors.NewBadRequest("name must be provided")
	}
	return validName(at, verb)
}

// validName checks the name in a path.
func validName(at params.Target, verb string) error {
	if at.Name == "" {
		return nil
	}
	switch verb {
	case "get", "update", "patch", "delete":
		if wrong := ValidatePathSegment(at.Name, false); len(wrong) > 0 {
			return apierrors.NewBadRequest(fmt.Sprintf("Name parameter invalid: %q: %s", at.Name, strings.Join(wrong, ";")))
		}
	}
	return nil
}
