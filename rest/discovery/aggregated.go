package discovery

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// These are the parts of apidiscovery.k8s.io/v2 that say what is served. The
// types themselves live in k8s.io/api, which is not needed for anything else.
type aggregatedGroup struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Versions []aggregatedVersionOf `json:"versions"`
}

type aggregatedVersionOf struct {
	Version   string               `json:"version"`
	Resources []aggregatedResource `json:"resources"`
	Freshness string               `json:"freshness"` // Current or Stale
}

type aggregatedResource struct {
	Resource         string                   `json:"resource"`
	ResponseKind     *metav1.GroupVersionKind `json:"responseKind"`
	Scope            string                   `json:"scope"` // Cluster or Namespaced
	SingularResource string                   `json:"singularResource"`
	Verbs            []string                 `json:"verbs"`
	ShortNames       []string                 `json:"shortNames"`
	Categories       []string                 `json:"categories"`
	Subresources     []aggregatedSubresource  `json:"subresources"`
}

type aggregatedSubresource struct {
	Subresource  string                   `json:"subresource"`
	ResponseKind *metav1.GroupVersionKind `json:"responseKind"`
	Verbs        []string                 `json:"verbs"`
}

// addAggregated takes in a group in the form that it has elsewhere. A stale
// version is one of the group's, but has failed: what the server remembers of
// it may no longer be so. The first that is not stale is preferred.
func (a *answers) addAggregated(from aggregatedGroup) {
	group := metav1.APIGroup{Name: from.Metadata.Name}
	for _, version := range from.Versions {
		gv := schema.GroupVersion{Group: group.Name, Version: version.Version}
		as := metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version}
		group.Versions = append(group.Versions, as)
		if version.Freshness == "Stale" {
			a.failed[gv] = ErrStale
			continue
		}
		if group.PreferredVersion.Version == "" {
			group.PreferredVersion = as
		}
		a.resources[gv] = listOf(gv, version.Resources)
	}
	a.addGroup(group)
}

func listOf(gv schema.GroupVersion, resources []aggregatedResource) *metav1.APIResourceList {
	list := &metav1.APIResourceList{GroupVersion: gv.String()}
	list.Kind, list.APIVersion = resourceListKind, "v1"
	for _, from := range resources {
		resource := metav1.APIResource{
			Name:         from.Resource,
			SingularName: from.SingularResource,
			Namespaced:   from.Scope == "Namespaced",
			Verbs:        from.Verbs,
			ShortNames:   from.ShortNames,
			Categories:   from.Categories,
		}
		// A resource without a kind stands there for its subresources only.
		if setKind(&resource, from.ResponseKind, gv) {
			list.APIResources = append(list.APIResources, resource)
		}
		for _, sub := range from.Subresources {
			subresource := metav1.APIResource{
				Name:         from.Resource + "/" + sub.Subresource,
				SingularName: from.SingularResource,
				Namespaced:   resource.Namespaced,
				Verbs:        sub.Verbs,
			}
			if setKind(&subresource, sub.ResponseKind, gv) {
				list.APIResources = append(list.APIResources, subresource)
			}
		}
	}
	return list
}

// setKind names group and version where they are not the list's, as the lists
// of single group versions do.
func setKind(resource *metav1.APIResource, kind *metav1.GroupVersionKind, gv schema.GroupVersion) bool {
	if kind == nil || kind.Kind == "" {
		return false
	}
	resource.Kind = kind.Kind
	if kind.Group != gv.Group || kind.Version != gv.Version {
		resource.Group, resource.Version = kind.Group, kind.Version
	}
	return true
}
