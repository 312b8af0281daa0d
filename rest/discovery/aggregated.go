package discovery

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// aggregatedGroup and the types below have the fields of apidiscovery.k8s.io/v2
// that discovery uses. They avoid a dependency on k8s.io/api, which the package
// does not need otherwise.
type aggregatedGroup struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Versions []aggregatedVersion `json:"versions"`
}

type aggregatedVersion struct {
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

// addAggregated adds a group, converted to the types of the older discovery API. A
// stale version is listed in the group and recorded as failed, since its resources
// may be out of date. The first version that is not stale is preferred.
func (s *serverResources) addAggregated(item aggregatedGroup) {
	group := metav1.APIGroup{Name: item.Metadata.Name}
	for _, version := range item.Versions {
		gv := schema.GroupVersion{Group: group.Name, Version: version.Version}
		forDiscovery := metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version}
		group.Versions = append(group.Versions, forDiscovery)
		if version.Freshness == "Stale" {
			s.failed[gv] = ErrStale
			continue
		}
		if group.PreferredVersion.Version == "" {
			group.PreferredVersion = forDiscovery
		}
		s.resources[gv] = newResourceList(gv, version.Resources)
	}
	s.addGroup(group)
}

func newResourceList(gv schema.GroupVersion, resources []aggregatedResource) *metav1.APIResourceList {
	list := &metav1.APIResourceList{GroupVersion: gv.String()}
	list.Kind, list.APIVersion = resourceListKind, "v1"
	for _, item := range resources {
		resource := metav1.APIResource{
			Name:         item.Resource,
			SingularName: item.SingularResource,
			Namespaced:   item.Scope == "Namespaced",
			Verbs:        item.Verbs,
			ShortNames:   item.ShortNames,
			Categories:   item.Categories,
		}
		// A resource without a kind is listed only for its subresources.
		if setKind(&resource, item.ResponseKind, gv) {
			list.APIResources = append(list.APIResources, resource)
		}
		for _, sub := range item.Subresources {
			subresource := metav1.APIResource{
				Name:         item.Resource + "/" + sub.Subresource,
				SingularName: item.SingularResource,
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

// setKind sets the kind of a resource. It sets its group and version only where
// they differ from those of the list, as in the lists of single group versions. It
// returns false if there is no kind.
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
