package discovery

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// catalog is what a server serves, in the order in which it is preferred: of
// each group the resources of its preferred version, then those of the other
// versions. It never changes.
type catalog struct {
	all     []*Resource
	partial *PartialError

	// Each has its resources in the order of all.
	names map[string][]*Resource // plurals and singulars, in lower case
	short map[string][]*Resource
	kinds map[string][]*Resource
}

func newCatalog(from *answers) *catalog {
	c := &catalog{
		partial: from.partial(),
		names:   map[string][]*Resource{}, short: map[string][]*Resource{}, kinds: map[string][]*Resource{},
	}
	preferred := map[schema.GroupVersion]bool{}
	for _, group := range from.groups {
		preferred[schema.GroupVersion{Group: group.Name, Version: group.PreferredVersion.Version}] = true
	}
	versions := from.versions()
	for _, first := range []bool{true, false} {
		for _, gv := range versions {
			if list := from.resources[gv]; list != nil && preferred[gv] == first {
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
			if lower := strings.ToLower(r.Kind); lower != r.Kind {
				c.kinds[lower] = append(c.kinds[lower], r)
			}
		}
	}
}

// find is the first resource that the query means.
func (c *catalog) find(q query) *Resource {
	if q.exactKind {
		for _, r := range c.kinds[q.readings[0].name] {
			if r.Kind == q.readings[0].name && q.readings[0].exactly(r) {
				return r
			}
		}
		return nil
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
		if r := as.firstOf(c.kinds[as.name]); r != nil {
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
