package registry

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// Catalog is the content of discovery, in its order: groups by importance,
// versions with the preferred one first, resources by name.
type Catalog []CatalogGroup

// CatalogGroup is a group with its versions.
type CatalogGroup struct {
	Name     string
	Versions []CatalogVersion
}

// CatalogVersion is a version of a group with its resources.
type CatalogVersion struct {
	schema.GroupVersion
	resources []*Resource
}

// groupOrder is the order of the built-in groups. Other groups follow by name.
var groupOrder = []string{
	"", "apps", "events.k8s.io", "batch", "networking.k8s.io", "rbac.authorization.k8s.io",
	"apiextensions.k8s.io", "coordination.k8s.io", "discovery.k8s.io",
}

// Catalog returns the content of discovery.
func (r *Registry) Catalog() (all Catalog) {
	byVersion := map[schema.GroupVersion][]*Resource{}
	for at, res := range r.All() {
		byVersion[at.GroupVersion()] = append(byVersion[at.GroupVersion()], res)
	}
	byGroup := map[string][]CatalogVersion{}
	for at, resources := range byVersion {
		slices.SortFunc(resources, func(a, b *Resource) int {
			return cmp.Compare(a.GroupVersionResource.Resource, b.GroupVersionResource.Resource)
		})
		byGroup[at.Group] = append(byGroup[at.Group], CatalogVersion{at, resources})
	}
	for name, versions := range byGroup {
		slices.SortFunc(versions, func(a, b CatalogVersion) int { return version.CompareKubeAwareVersionStrings(b.Version, a.Version) })
		all = append(all, CatalogGroup{name, versions})
	}
	place := func(name string) int {
		if at := slices.Index(groupOrder, name); at >= 0 {
			return at
		}
		return len(groupOrder)
	}
	slices.SortFunc(all, func(a, b CatalogGroup) int {
		return cmp.Or(cmp.Compare(place(a.Name), place(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// Group returns nil if the group is not served.
func (c Catalog) Group(name string) *CatalogGroup {
	for i := range c {
		if c[i].Name == name {
			return &c[i]
		}
	}
	return nil
}

// Version returns nil if the version is not served.
func (g *CatalogGroup) Version(name string) *CatalogVersion {
	for i := range g.Versions {
		if g.Versions[i].Version == name {
			return &g.Versions[i]
		}
	}
	return nil
}

// servedSubresource is a subresource in discovery.
type servedSubresource struct {
	name  string
	verbs []string
	kind  schema.GroupVersionKind
}

// verbs returns the verbs of the resource itself.
func (r *Resource) verbs() []string {
	switch {
	case r.Builtin != nil:
		return r.Builtin.Verbs()
	case r.Custom:
		return []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}
	}
	return []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
}

func (r *Resource) servedSubresources() (all []servedSubresource) {
	if r.Builtin != nil {
		for _, sub := range r.Builtin.Subresources {
			all = append(all, servedSubresource{sub.Name, sub.Verbs, sub.GroupVersionKind})
		}
		return all
	}
	if r.Status {
		all = append(all, servedSubresource{"status", r.subresourceVerbs("status"), r.GroupVersion().WithKind(r.Kind)})
	}
	if r.Scale != nil {
		all = append(all, servedSubresource{"scale", r.subresourceVerbs("scale"), schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}})
	}
	return all
}

// ResourceList returns a version in the unaggregated form.
func (v *CatalogVersion) ResourceList() *metav1.APIResourceList {
	list := &metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList"}, GroupVersion: v.String(), APIResources: []metav1.APIResource{}}
	if v.Group != "" {
		list.APIVersion = "v1"
	}
	for _, r := range v.resources {
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name: r.GroupVersionResource.Resource, SingularName: r.Singular, Namespaced: r.Namespaced, Kind: r.Kind,
			Verbs: r.verbs(), ShortNames: r.ShortNames, Categories: r.Categories, StorageVersionHash: r.storageHash(),
		})
		for _, p := range r.servedSubresources() {
			sub := metav1.APIResource{Name: r.GroupVersionResource.Resource + "/" + p.name, Namespaced: r.Namespaced, Kind: p.kind.Kind, Verbs: p.verbs}
			if p.kind.GroupVersion() != v.GroupVersion {
				sub.Group, sub.Version = p.kind.Group, p.kind.Version
			}
			list.APIResources = append(list.APIResources, sub)
		}
	}
	return list
}

// storageHash returns a hash that changes with the version in which objects are
// stored.
func (r *Resource) storageHash() string {
	sum := sha256.Sum256([]byte(r.Storage.Group + "/" + r.Storage.Version + "/" + r.Kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}

// APIGroup returns a group in the unaggregated form.
func (g *CatalogGroup) APIGroup() metav1.APIGroup {
	group := metav1.APIGroup{Name: g.Name}
	for _, v := range g.Versions {
		group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: v.String(), Version: v.Version})
	}
	group.PreferredVersion = group.Versions[0]
	return group
}

// The aggregated form contains everything in one response. Its types are
// declared here to avoid a dependency of this package on k8s.io/api.
type (
	GroupsDiscovery struct {
		Kind       string           `json:"kind"`
		APIVersion string           `json:"apiVersion"`
		Metadata   struct{}         `json:"metadata"`
		Items      []groupDiscovery `json:"items"`
	}
	groupDiscovery struct {
		Metadata struct {
			Name string `json:"name,omitempty"`
		} `json:"metadata"`
		Versions []versionDiscovery `json:"versions"`
	}
	versionDiscovery struct {
		Version   string              `json:"version"`
		Resources []resourceDiscovery `json:"resources"`
		Freshness string              `json:"freshness"`
	}
	resourceDiscovery struct {
		Resource         string          `json:"resource"`
		ResponseKind     kindDiscovery   `json:"responseKind"`
		Scope            string          `json:"scope"`
		SingularResource string          `json:"singularResource"`
		Verbs            []string        `json:"verbs"`
		ShortNames       []string        `json:"shortNames,omitempty"`
		Categories       []string        `json:"categories,omitempty"`
		Subresources     []partDiscovery `json:"subresources,omitempty"`
	}
	partDiscovery struct {
		Subresource  string        `json:"subresource"`
		ResponseKind kindDiscovery `json:"responseKind"`
		Verbs        []string      `json:"verbs"`
	}
	kindDiscovery struct {
		Group   string `json:"group"`
		Version string `json:"version"`
		Kind    string `json:"kind"`
	}
)

// Aggregated returns the core group alone, or all the others.
func (c Catalog) Aggregated(core bool) *GroupsDiscovery {
	all := &GroupsDiscovery{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2", Items: []groupDiscovery{}}
	for i := range c {
		if (c[i].Name == "") != core {
			continue
		}
		var g groupDiscovery
		g.Metadata.Name = c[i].Name
		for _, v := range c[i].Versions {
			g.Versions = append(g.Versions, v.aggregated())
		}
		all.Items = append(all.Items, g)
	}
	return all
}

func (v *CatalogVersion) aggregated() versionDiscovery {
	version := versionDiscovery{Version: v.Version, Resources: []resourceDiscovery{}, Freshness: "Current"}
	for _, r := range v.resources {
		d := resourceDiscovery{
			Resource: r.GroupVersionResource.Resource, ResponseKind: r.shown(r.GroupVersion().WithKind(r.Kind)), Scope: "Cluster",
			SingularResource: r.Singular, Verbs: r.verbs(), ShortNames: r.ShortNames, Categories: r.Categories,
		}
		if r.Namespaced {
			d.Scope = "Namespaced"
		}
		for _, p := range r.servedSubresources() {
			d.Subresources = append(d.Subresources, partDiscovery{p.name, r.shown(p.kind), p.verbs})
		}
		version.Resources = append(version.Resources, d)
	}
	return version
}

// shown omits the group and version of a kind if they are those of the list,
// except for custom resources.
func (r *Resource) shown(kind schema.GroupVersionKind) kindDiscovery {
	if !r.Custom && kind.GroupVersion() == r.GroupVersion() {
		return kindDiscovery{Kind: kind.Kind}
	}
	return kindDiscovery{kind.Group, kind.Version, kind.Kind}
}
