package discovery

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/rest"
)

// Resource is one resource in one version: where it is served, and what the
// server says about it.
type Resource struct {
	rest.ResourceInfo
	SingularName string
	ShortNames   []string
	// Categories are names for several resources at once, such as "all".
	Categories []string
	// Verbs of the API that it has: get, list, watch, create, …
	Verbs        []string
	Subresources []Subresource
}

// Subresource is a part of a resource that is served by itself.
type Subresource struct {
	// Name after the slash: status, scale, log.
	Name string
	// Kind of what is sent and returned, often of another group.
	Kind  schema.GroupVersionKind
	Verbs []string
}

// clone keeps what is cached from whoever is given it.
func (r *Resource) clone() Resource {
	own := *r
	own.ShortNames = slices.Clone(r.ShortNames)
	own.Categories = slices.Clone(r.Categories)
	own.Verbs = slices.Clone(r.Verbs)
	own.Subresources = slices.Clone(r.Subresources)
	for i := range own.Subresources {
		own.Subresources[i].Verbs = slices.Clone(own.Subresources[i].Verbs)
	}
	return own
}

// resourcesIn are the resources of a list, each with its subresources. A
// subresource of nothing is left out: there is nothing to find it by.
func resourcesIn(gv schema.GroupVersion, list *metav1.APIResourceList) []*Resource {
	var all []*Resource
	byName := map[string]*Resource{}
	for _, from := range list.APIResources {
		if from.Name == "" || strings.Contains(from.Name, "/") || byName[from.Name] != nil {
			continue
		}
		resource := &Resource{
			ResourceInfo: rest.ResourceInfo{GroupVersionResource: gv.WithResource(from.Name), Kind: from.Kind, Namespaced: from.Namespaced},
			SingularName: from.SingularName,
			ShortNames:   from.ShortNames,
			Categories:   from.Categories,
			Verbs:        from.Verbs,
		}
		if resource.SingularName == "" { // servers of long ago
			resource.SingularName = strings.ToLower(from.Kind)
		}
		byName[from.Name] = resource
		all = append(all, resource)
	}
	for _, from := range list.APIResources {
		parent, name, ok := strings.Cut(from.Name, "/")
		if of := byName[parent]; ok && of != nil {
			of.Subresources = append(of.Subresources, Subresource{Name: name, Kind: kindOf(gv, from), Verbs: from.Verbs})
		}
	}
	return all
}

func kindOf(gv schema.GroupVersion, from metav1.APIResource) schema.GroupVersionKind {
	if from.Version != "" {
		gv = schema.GroupVersion{Group: from.Group, Version: from.Version}
	}
	return gv.WithKind(from.Kind)
}
