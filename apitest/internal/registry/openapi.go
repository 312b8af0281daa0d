package registry

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// OpenAPI returns the document of a version.
func (v *CatalogVersion) OpenAPI() map[string]any {
	paths := map[string]any{}
	for _, r := range v.resources {
		path := "/" + APIPath(v.GroupVersion)
		if r.Namespaced {
			path += "/namespaces/{namespace}"
		}
		path += "/" + r.GroupVersionResource.Resource + "/{name}"
		paths[path] = map[string]any{"patch": r.openAPIPatch(r.GroupVersion().WithKind(r.Kind))}
		for _, p := range r.servedSubresources() {
			paths[path+"/"+p.name] = map[string]any{"patch": r.openAPIPatch(p.kind)}
		}
	}
	return map[string]any{
		"openapi": "3.0.0",
		"info":    map[string]any{"title": "Kubernetes", "version": KubernetesVersion},
		"paths":   paths,
	}
}

func (r *Resource) openAPIPatch(kind schema.GroupVersionKind) map[string]any {
	var parameters []any
	for _, name := range []string{"dryRun", "fieldManager", "fieldValidation", "pretty"} {
		parameters = append(parameters, map[string]any{"name": name, "in": "query", "schema": map[string]any{"type": "string", "uniqueItems": true}})
	}
	return map[string]any{
		"operationId":                     "patch" + kind.Group + kind.Version + kind.Kind,
		"parameters":                      parameters,
		"responses":                       map[string]any{"200": map[string]any{"description": "OK"}},
		"x-kubernetes-action":             "patch",
		"x-kubernetes-group-version-kind": map[string]any{"group": kind.Group, "version": kind.Version, "kind": kind.Kind},
	}
}

// APIPath returns the path of a version, without the first slash.
func APIPath(version schema.GroupVersion) string {
	if version.Group == "" {
		return "api/" + version.Version
	}
	return "apis/" + version.String()
}
