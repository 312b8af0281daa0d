package registry

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/storage"
	"github.com/thinformer/thinformer/internal/kinds"
	"github.com/thinformer/thinformer/rest"
)

// RegisterBuiltin registers the built-in kinds, whose objects are in a store.
func (r *Registry) RegisterBuiltin(store *storage.Store) {
	table := kinds.Builtin()
	r.Change(func(served map[schema.GroupVersionResource]*Resource) {
		for i := range table {
			res := NewBuiltin(&table[i])
			res.Table = store.Table(res.GroupResource())
			served[res.GroupVersionResource] = res
		}
	})
}

// NewBuiltin returns the resource of a built-in kind, without a table.
func NewBuiltin(k *kinds.Resource) *Resource {
	res := &Resource{Info: describeBuiltin(k), Builtin: k, Warnings: deprecation(k)}
	res.Complete()
	return res
}

// deprecation returns the warnings of a deprecated kind.
func deprecation(k *kinds.Resource) []string {
	if k.GroupVersionResource() == (schema.GroupVersionResource{Version: "v1", Resource: "endpoints"}) {
		return []string{"v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"}
	}
	return nil
}

// describeBuiltin returns a built-in kind as an info.
func describeBuiltin(k *kinds.Resource) Info {
	info := Info{
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
			info.SelectableFields = append(info.SelectableFields, name)
		}
	}
	if k.Scale != nil {
		info.Scale = &ScalePaths{SpecReplicas: "." + k.Scale.SpecReplicas, StatusReplicas: "." + k.Scale.StatusReplicas, LabelSelector: "." + k.Scale.Selector}
	}
	return info
}
