package apitest

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// catalog is what is served, in the order in which discovery tells it: groups
// by importance, versions with the preferred one first, resources by name.
type catalog []catalogGroup

type catalogGroup struct {
	name     string
	versions []catalogVersion
}

type catalogVersion struct {
	schema.GroupVersion
	resources []*resource
}

// groupOrder is that of the built-in groups; others follow by name.
var groupOrder = []string{
	"", "apps", "events.k8s.io", "batch", "networking.k8s.io", "rbac.authorization.k8s.io",
	"apiextensions.k8s.io", "coordination.k8s.io", "discovery.k8s.io",
}

func (r *registry) catalog() (all catalog) {
	byVersion := map[schema.GroupVersion][]*resource{}
	for at, res := range r.all() {
		byVersion[at.GroupVersion()] = append(byVersion[at.GroupVersion()], res)
	}
	byGroup := map[string][]catalogVersion{}
	for at, resources := range byVersion {
		slices.SortFunc(resources, func(a, b *resource) int {
			return cmp.Compare(a.GroupVersionResource.Resource, b.GroupVersionResource.Resource)
		})
		byGroup[at.Group] = append(byGroup[at.Group], catalogVersion{at, resources})
	}
	for name, versions := range byGroup {
		slices.SortFunc(versions, func(a, b catalogVersion) int { return version.CompareKubeAwareVersionStrings(b.Version, a.Version) })
		all = append(all, catalogGroup{name, versions})
	}
	place := func(name string) int {
		if at := slices.Index(groupOrder, name); at >= 0 {
			return at
		}
		return len(groupOrder)
	}
	slices.SortFunc(all, func(a, b catalogGroup) int {
		return cmp.Or(cmp.Compare(place(a.name), place(b.name)), cmp.Compare(a.name, b.name))
	})
	return all
}

// group is nil if nothing is served in it.
func (c catalog) group(name string) *catalogGroup {
	for i := range c {
		if c[i].name == name {
			return &c[i]
		}
	}
	return nil
}

func (g *catalogGroup) version(name string) *catalogVersion {
	for i := range g.versions {
		if g.versions[i].Version == name {
			return &g.versions[i]
		}
	}
	return nil
}

// part is a subresource as discovery tells it.
type part struct {
	name  string
	verbs []string
	kind  schema.GroupVersionKind
}

// verbs of a resource itself.
func (r *resource) verbs() []string {
	switch {
	case r.builtin != nil:
		return r.builtin.Verbs()
	case r.custom:
		return []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}
	}
	return []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
}

func (r *resource) parts() (all []part) {
	if r.builtin != nil {
		for _, sub := range r.builtin.Subresources {
			all = append(all, part{sub.Name, sub.Verbs, sub.GroupVersionKind})
		}
		return all
	}
	if r.Status {
		all = append(all, part{"status", r.subresourceVerbs("status"), r.GroupVersion().WithKind(r.Kind)})
	}
	if r.Scale != nil {
		all = append(all, part{"scale", r.subresourceVerbs("scale"), schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}})
	}
	return all
}

// resourceList is a version as clients of old read it.
func (v *catalogVersion) resourceList() *metav1.APIResourceList {
	list := &metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList"}, GroupVersion: v.String(), APIResources: []metav1.APIResource{}}
	if v.Group != "" {
		list.APIVersion = "v1"
	}
	for _, r := range v.resources {
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name: r.GroupVersionResource.Resource, SingularName: r.Singular, Namespaced: r.Namespaced, Kind: r.Kind,
			Verbs: r.verbs(), ShortNames: r.ShortNames, Categories: r.Categories, StorageVersionHash: r.storageHash(),
		})
		for _, p := range r.parts() {
			sub := metav1.APIResource{Name: r.GroupVersionResource.Resource + "/" + p.name, Namespaced: r.Namespaced, Kind: p.kind.Kind, Verbs: p.verbs}
			if p.kind.GroupVersion() != v.GroupVersion {
				sub.Group, sub.Version = p.kind.Group, p.kind.Version
			}
			list.APIResources = append(list.APIResources, sub)
		}
	}
	return list
}

// storageHash tells clients when the version changes in which objects are
// stored.
func (r *resource) storageHash() string {
	sum := sha256.Sum256([]byte(r.storage.Group + "/" + r.storage.Version + "/" + r.Kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}

func (g *catalogGroup) apiGroup() metav1.APIGroup {
	of := metav1.APIGroup{Name: g.name}
	for _, v := range g.versions {
		of.Versions = append(of.Versions, metav1.GroupVersionForDiscovery{GroupVersion: v.String(), Version: v.Version})
	}
	of.PreferredVersion = of.Versions[0]
	return of
}

// The aggregated form tells everything in one answer. Its types are in
// k8s.io/api, which is more than their JSON is worth.
type (
	groupsDiscovery struct {
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

// aggregated is the core group alone, or all the others.
func (c catalog) aggregated(core bool) *groupsDiscovery {
	all := &groupsDiscovery{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2", Items: []groupDiscovery{}}
	for i := range c {
		if (c[i].name == "") != core {
			continue
		}
		var g groupDiscovery
		g.Metadata.Name = c[i].name
		for _, v := range c[i].versions {
			g.Versions = append(g.Versions, v.aggregated())
		}
		all.Items = append(all.Items, g)
	}
	return all
}

func (v *catalogVersion) aggregated() versionDiscovery {
	of := versionDiscovery{Version: v.Version, Resources: []resourceDiscovery{}, Freshness: "Current"}
	for _, r := range v.resources {
		d := resourceDiscovery{
			Resource: r.GroupVersionResource.Resource, ResponseKind: r.shown(r.GroupVersion().WithKind(r.Kind)), Scope: "Cluster",
			SingularResource: r.Singular, Verbs: r.verbs(), ShortNames: r.ShortNames, Categories: r.Categories,
		}
		if r.Namespaced {
			d.Scope = "Namespaced"
		}
		for _, p := range r.parts() {
			d.Subresources = append(d.Subresources, partDiscovery{p.name, r.shown(p.kind), p.verbs})
		}
		of.Resources = append(of.Resources, d)
	}
	return of
}

// shown leaves out what a kind shares with the version it is listed in, unless
// it is a custom resource's.
func (r *resource) shown(kind schema.GroupVersionKind) kindDiscovery {
	if !r.custom && kind.GroupVersion() == r.GroupVersion() {
		return kindDiscovery{Kind: kind.Kind}
	}
	return kindDiscovery{kind.Group, kind.Version, kind.Kind}
}
