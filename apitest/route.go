package apitest

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// errNotServed is a path at which there is nothing at all: its answer is text
// and no Status.
var errNotServed = errors.New("404 page not found")

// notFound and notAllowed are what a kube-apiserver says of paths in groups
// that it knows.
func notFound() error {
	return apierrors.NewGenericServerResponse(http.StatusNotFound, "", schema.GroupResource{}, "", "", 0, false)
}

func notAllowed() error {
	return apierrors.NewGenericServerResponse(http.StatusMethodNotAllowed, "", schema.GroupResource{}, "", "", 0, false)
}

// route finds the resource that a request is about, and says what is wrong with
// its address and method.
func (s *Server) route(at target, verb, method string) (*resource, error) {
	res := s.registry.find(at.GroupVersionResource)
	switch {
	case res == nil && (at.Group == "" || s.registry.compiled(at.Group)):
		return nil, notFound()
	case res == nil:
		return nil, errNotServed
	case res.custom:
		return res, res.routeCustom(at, verb)
	}
	return res, res.routeCompiled(at, verb, method)
}

// compiled is whether a group is served, and not by definitions of custom
// resources.
func (r *registry) compiled(group string) bool {
	for at, res := range r.all() {
		if at.Group == group && !res.custom {
			return true
		}
	}
	return false
}

// routeCompiled goes by a table of routes, each with its methods.
func (r *resource) routeCompiled(at target, verb, method string) error {
	inNamespace := at.namespace != ""
	switch {
	case at.proxy, at.deeper, inNamespace && !r.Namespaced, at.name != "" && r.Namespaced && !inNamespace:
		return notFound()
	case at.watch && at.subresource != "":
		return notFound()
	case at.watch:
		if method != http.MethodGet {
			return notAllowed()
		}
		return nil
	}
	var allowed []string
	switch {
	case at.subresource != "":
		if allowed = r.subresourceVerbs(at.subresource); allowed == nil {
			return notFound()
		}
	case at.name != "":
		allowed = []string{"get", "update", "patch", "delete"}
	case r.Namespaced && !inNamespace:
		allowed = []string{"list", "watch"}
	case r.builtin != nil && r.builtin.OneByOne:
		allowed = []string{"list", "watch", "create"}
	default:
		allowed = []string{"list", "watch", "create", "deletecollection"}
	}
	if method == http.MethodHead || !slices.Contains(allowed, verb) {
		return notAllowed()
	}
	return validName(at, verb)
}

// subresourceVerbs are nil where there is no such subresource.
func (r *resource) subresourceVerbs(name string) []string {
	if r.builtin != nil {
		if sub := r.builtin.Subresource(name); sub != nil {
			return sub.Verbs
		}
		return nil
	}
	if name == "status" && r.Status || name == "scale" && r.Scale != nil {
		return []string{"get", "patch", "update"}
	}
	return nil
}

// routeCustom goes by what the definition says.
func (r *resource) routeCustom(at target, verb string) error {
	inNamespace := at.namespace != ""
	switch {
	case at.proxy, inNamespace && !r.Namespaced, r.Namespaced && !inNamespace && verb != "list" && verb != "watch":
		return errNotServed
	case at.subresource != "" && r.subresourceVerbs(at.subresource) == nil:
		return apierrors.NewNotFound(at.GroupResource(), at.name)
	}
	allowed := []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	if at.subresource != "" {
		allowed = r.subresourceVerbs(at.subresource)
	}
	if !slices.Contains(allowed, verb) {
		return apierrors.NewMethodNotSupported(at.GroupResource(), verb)
	}
	if at.name == "" && verb == "update" {
		return apierrors.NewBadRequest("name must be provided")
	}
	return validName(at, verb)
}

// validName is whether the name in a path can be one.
func validName(at target, verb string) error {
	if at.name == "" {
		return nil
	}
	switch verb {
	case "get", "update", "patch", "delete":
		if wrong := validatePathSegment(at.name, false); len(wrong) > 0 {
			return apierrors.NewBadRequest(fmt.Sprintf("Name parameter invalid: %q: %s", at.name, strings.Join(wrong, ";")))
		}
	}
	return nil
}
