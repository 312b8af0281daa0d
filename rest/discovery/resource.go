package discovery

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// Resource describes one resource in one version, as the server reports it.
type Resource struct {
	rest.ResourceInfo
	SingularName string
	ShortNames   []string
	// Categories are names for several resources at once, such as "all".
	Categories []string
	// Verbs are the supported verbs of the API: get, list, watch, create, …
	Verbs        []string
	Subresources []Subresource
}

// Subresource describes one subresource of a resource.
type Subresource struct {
	// Name is the part after the slash: status, scale, log.
	Name string
	// Kind is the kind of the objects sent and returned, often of another group.
	Kind  schema.GroupVersionKind
	Verbs []string
}

// clone returns a deep copy, so that a caller cannot change the cache.
func (r *Resource) clone() Resource {
	clone := *r
	clone.ShortNames = slices.Clone(r.ShortNames)
	clone.Categories = slices.Clone(r.Categories)
	clone.Verbs = slices.Clone(r.Verbs)
	clone.Subresources = slices.Clone(r.Subresources)
	for i := range clone.Subresources {
		clone.Subresources[i].Verbs = slices.Clone(clone.Subresources[i].Verbs)
	}
	return clone
}

// newResources returns the resources of a list with their subresources. It omits
// subresources whose resource is not in the list, since no lookup can find them.
func newResources(gv schema.GroupVersion, list *metav1.APIResourceList) []*Resource {
	var resources []*Resource
	byName := map[string]*Resource{}
	for _, item := range list.APIResources {
		if item.Name == "" || strings.Contains(item.Name, "/") || byName[item.Name] != nil {
			continue
		}
		resource := &Resource{
			ResourceInfo: rest.ResourceInfo{GroupVersionResource: gv.WithResource(item.Name), Kind: item.Kind, Namespaced: item.Namespaced},
			SingularName: item.SingularName,
			ShortNames:   item.ShortNames,
			Categories:   item.Categories,
			Verbs:        item.Verbs,
		}
		if resource.SingularName == "" { // old servers do not set it
			resource.SingularName = strings.ToLower(item.Kind)
		}
		byName[item.Name] = resource
		resources = append(resources, resource)
	}
	for _, item := range list.APIResources {
		parent, name, ok := strings.Cut(item.Name, "/")
		if owner := byName[parent]; ok && owner != nil {
			owner.Subresources = append(owner.Subresources, Subresource{Name: name, Kind: subresourceKind(gv, item), Verbs: item.Verbs})
		}
	}
	return resources
}

func subresourceKind(gv schema.GroupVersion, item metav1.APIResource) schema.GroupVersionKind {
	if item.Version != "" {
		gv = schema.GroupVersion{Group: item.Group, Version: item.Version}
	}
	return gv.WithKind(item.Kind)
}
