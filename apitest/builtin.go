package apitest

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/internal/kinds"
	"github.com/thinformer/thinformer/rest"
)

// registerBuiltin serves the table of built-in kinds.
func (s *Server) registerBuiltin() {
	table := kinds.Builtin()
	s.registry.change(func(served map[schema.GroupVersionResource]*resource) {
		for i := range table {
			res := &resource{Resource: describeBuiltin(&table[i]), builtin: &table[i], warnings: deprecation(&table[i])}
			res.table = s.store.table(res.GroupResource())
			res.complete()
			if res.Kind == "Endpoints" {
				res.warnings = []string{"v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"}
			}
			served[res.GroupVersionResource] = res
		}
	})
}

// deprecation is what a kind that is on its way out warns of with every answer.
func deprecation(k *kinds.Resource) []string {
	if k.GroupVersionResource() == (schema.GroupVersionResource{Version: "v1", Resource: "endpoints"}) {
		return []string{"v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"}
	}
	return nil
}

// describeBuiltin is a line of the table as a user would register it.
func describeBuiltin(k *kinds.Resource) Resource {
	of := Resource{
		ResourceInfo: rest.ResourceInfo{GroupVersionResource: k.GroupVersionResource(), Kind: k.Kind, Namespaced: k.Namespaced},
		ListKind:     k.ListKind(),
		Singular:     k.Singular,
		ShortNames:   k.ShortNames,
		Categories:   k.Categories,
		Status:       k.Subresource("status") != nil,
		Generation:   k.Generation,
	}
	for _, name := range k.Fields() {
		if !slices.Contains([]string{"metadata.name", "metadata.namespace"}, name) {
			of.SelectableFields = append(of.SelectableFields, name)
		}
	}
	if k.Scale != nil {
		of.Scale = &Scale{SpecReplicas: "." + k.Scale.SpecReplicas, StatusReplicas: "." + k.Scale.StatusReplicas, LabelSelector: "." + k.Scale.Selector}
	}
	return of
}
