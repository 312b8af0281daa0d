package apitest

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/rest"
)

// Resource is a kind of object that a server serves.
type Resource struct {
	rest.ResourceInfo
	// ListKind is the kind of lists; "" is the kind and "List".
	ListKind string
	// Singular name; "" is the kind in lower case.
	Singular string
	// ShortNames and Categories are names that kubectl accepts for it.
	ShortNames, Categories []string
	// Status serves the subresource status: creates and updates leave the status
	// unchanged, and updates of the status leave everything else unchanged.
	Status bool
	// Scale serves the subresource scale, unless nil.
	Scale *Scale
	// Generation maintains metadata.generation, which counts the changes outside
	// of the metadata and, with Status, the status.
	Generation bool
	// SelectableFields are the paths, such as spec.nodeName, that field selectors
	// may use in addition to metadata.name and metadata.namespace.
	SelectableFields []string
}

// Scale contains the paths of the fields of a scale, such as .spec.replicas.
type Scale struct {
	SpecReplicas, StatusReplicas string
	// LabelSelector is the path of the selector, as text; "" is none.
	LabelSelector string
}

// Register serves another resource from now on, or replaces one of the same
// group, version and name. Stored objects stay.
func (s *Server) Register(resource Resource) error {
	described := resource.info()
	if err := described.Validate(); err != nil {
		return fmt.Errorf("apitest: register %q: %w", resource.GroupVersionResource.String(), err)
	}
	res := &registry.Resource{Info: described, Table: s.store.Table(resource.GroupResource())}
	res.Complete()
	s.registry.Change(func(served map[schema.GroupVersionResource]*registry.Resource) {
		served[resource.GroupVersionResource] = res
	})
	return nil
}

// info returns the resource in the form of the registry.
func (r *Resource) info() registry.Info {
	i := registry.Info{
		ResourceInfo: r.ResourceInfo, ListKind: r.ListKind, Singular: r.Singular, ShortNames: r.ShortNames, Categories: r.Categories,
		Status: r.Status, Generation: r.Generation, SelectableFields: r.SelectableFields,
	}
	if r.Scale != nil {
		i.Scale = &registry.ScalePaths{SpecReplicas: r.Scale.SpecReplicas, StatusReplicas: r.Scale.StatusReplicas, LabelSelector: r.Scale.LabelSelector}
	}
	return i
}
