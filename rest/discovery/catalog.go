package discovery

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// catalog is what a server serves, in the order in which it is preferred: group
// by group, of each the resources of its preferred version and then those of
// the others. It never changes.
type catalog struct {
	all     []*Resource
	partial *PartialError

	// Each has its resources in the order of all.
	names map[string][]*Resource // plurals and singulars, in lower case
	short map[string][]*Resource
	kinds map[string][]*Resource
	lower map[string][]*Resource // kinds in lower case
}

func newCatalog(from *answers) *catalog {
	c := &catalog{
		partial: from.partial(),
		names:   map[string][]*Resource{},
		short:   map[string][]*Resource{},
		kinds:   map[string][]*Resource{},
		lower:   map[string][]*Resource{},
	}
	added := map[schema.GroupVersion]bool{}
	for _, group := range from.groups {
		for _, version := range slices.Insert(slices.Clone(group.Versions), 0, group.PreferredVersion) {
			gv := schema.GroupVersion{Group: group.Name, Version: version.Version}
			if list := from.resources[gv]; list != nil && !added[gv] {
				added[gv] = true
				c.add(resourcesIn(gv, list))
			}
		}
	}
	return c
}

func (c *catalog) add(resources []*Resource) {
	c.all = append(c.all, resources...)
	for _, r := range resources {
		plural, singular := strings.ToLower(r.Resource), strings.ToLower(r.SingularName)
		c.names[plural] = append(c.names[plural], r)
		if singular != "" && singular != plural {
			c.names[singular] = append(c.names[singular], r)
		}
		for _, short := range r.ShortNames {
			c.short[short] = append(c.short[short], r)
		}
		if r.Kind != "" {
			c.kinds[r.Kind] = append(c.kinds[r.Kind], r)
			lower := strings.ToLower(r.Kind)
			c.lower[lower] = append(c.lower[lower], r)
		}
	}
}

// find is the first resource that the query means.
func (c *catalog) find(q query) *Resource {
	if q.exactKind {
		as := q.readings[0]
		return as.exactOf(c.kinds[as.name])
	}
	for _, as := range q.readings {
		if r := as.firstOf(c.names[strings.ToLower(as.name)]); r != nil {
			return r
		}
		if r := as.firstOf(c.short[as.name]); r != nil {
			return r
		}
	}
	for _, as := range q.readings {
		if r := as.exactOf(c.kinds[as.name]); r != nil {
			return r
		}
		if r := as.exactOf(c.lower[as.name]); r != nil {
			return r
		}
	}
	return nil
}

// mayHide are the failed group versions that the query could have meant.
func (c *catalog) mayHide(q query) *PartialError {
	if c.partial == nil {
		return nil
	}
	failed := map[schema.GroupVersion]error{}
	for gv, err := range c.partial.Failed {
		if q.mayBeIn(gv) {
			failed[gv] = err
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return &PartialError{Failed: failed}
}
