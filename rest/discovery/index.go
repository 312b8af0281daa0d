package discovery

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// resourceIndex holds the resources of a server in order of preference: group by
// group, and in each group the resources of the preferred version first. It is
// immutable.
type resourceIndex struct {
	all     []*Resource
	partial *PartialError

	// The lists of these maps have the order of all.
	byName      map[string][]*Resource // plurals and singulars, in lower case
	byShortName map[string][]*Resource
	byKind      map[string][]*Resource
	byLowerKind map[string][]*Resource // kinds in lower case
}

func newResourceIndex(server *serverResources) *resourceIndex {
	x := &resourceIndex{
		partial:     server.partial(),
		byName:      map[string][]*Resource{},
		byShortName: map[string][]*Resource{},
		byKind:      map[string][]*Resource{},
		byLowerKind: map[string][]*Resource{},
	}
	added := map[schema.GroupVersion]bool{}
	for _, group := range server.groups {
		for _, version := range slices.Insert(slices.Clone(group.Versions), 0, group.PreferredVersion) {
			gv := schema.GroupVersion{Group: group.Name, Version: version.Version}
			if list := server.resources[gv]; list != nil && !added[gv] {
				added[gv] = true
				x.add(newResources(gv, list))
			}
		}
	}
	return x
}

func (x *resourceIndex) add(resources []*Resource) {
	x.all = append(x.all, resources...)
	for _, r := range resources {
		plural, singular := strings.ToLower(r.Resource), strings.ToLower(r.SingularName)
		x.byName[plural] = append(x.byName[plural], r)
		if singular != "" && singular != plural {
			x.byName[singular] = append(x.byName[singular], r)
		}
		for _, short := range r.ShortNames {
			x.byShortName[short] = append(x.byShortName[short], r)
		}
		if r.Kind != "" {
			x.byKind[r.Kind] = append(x.byKind[r.Kind], r)
			lower := strings.ToLower(r.Kind)
			x.byLowerKind[lower] = append(x.byLowerKind[lower], r)
		}
	}
}

// lookup returns the first resource that matches the query, or nil.
func (x *resourceIndex) lookup(q query) *Resource {
	if q.byKind {
		candidate := q.candidates[0]
		return candidate.matchKind(x.byKind[candidate.name])
	}
	for _, candidate := range q.candidates {
		if r := candidate.matchName(x.byName[strings.ToLower(candidate.name)]); r != nil {
			return r
		}
		if r := candidate.matchName(x.byShortName[candidate.name]); r != nil {
			return r
		}
	}
	for _, candidate := range q.candidates {
		if r := candidate.matchKind(x.byKind[candidate.name]); r != nil {
			return r
		}
		if r := candidate.matchKind(x.byLowerKind[candidate.name]); r != nil {
			return r
		}
	}
	return nil
}

// failuresThatMayMatch returns the failed group versions that may contain the
// resource of the query, or nil.
func (x *resourceIndex) failuresThatMayMatch(q query) *PartialError {
	if x.partial == nil {
		return nil
	}
	failed := map[schema.GroupVersion]error{}
	for gv, err := range x.partial.Failed {
		if q.mayMatch(gv) {
			failed[gv] = err
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return &PartialError{Failed: failed}
}
