package discovery

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// query describes the resource that is looked up.
type query struct {
	description string      // for error messages
	candidates  []candidate // in order of precedence
	// byKind is set if the only candidate is a kind. Its group is exact, also if
	// it is "", the core group.
	byKind bool
	// noMatch is the error of apimachinery for a resource that does not exist.
	noMatch error
}

// candidate is one interpretation of the text of a query. An empty version or
// group matches any.
type candidate struct{ name, version, group string }

// newKindQuery returns a query for a kind of one group. An empty version matches
// any.
func newKindQuery(gvk schema.GroupVersionKind) (query, error) {
	if gvk.Kind == "" {
		return query{}, errors.New("look up a kind: the kind is empty")
	}
	text := fmt.Sprintf("kind %q in the group %q", truncate(gvk.Kind), truncate(gvk.Group))
	if gvk.Version != "" {
		text = fmt.Sprintf("kind %q in %s", truncate(gvk.Kind), truncate(gvk.GroupVersion().String()))
	}
	noMatch := &meta.NoKindMatchError{GroupKind: gvk.GroupKind()}
	if gvk.Version != "" {
		noMatch.SearchedVersions = []string{gvk.Version}
	}
	return query{text, []candidate{{gvk.Kind, gvk.Version, gvk.Group}}, true, noMatch}, nil
}

// newNameQuery returns a query for name, name.group or name.version.group. The last
// two are ambiguous if the group contains a dot: the form with a version takes
// precedence.
func newNameQuery(text string) (query, error) {
	if slash := strings.IndexByte(text, '/'); slash >= 0 {
		return query{}, fmt.Errorf("look up the resource %q: a subresource is not a resource; look up %q", truncate(text), truncate(text[:slash]))
	}
	name, group, _ := strings.Cut(text, ".")
	if name == "" {
		return query{}, fmt.Errorf("look up the resource %q: the name is empty", truncate(text))
	}
	q := query{description: fmt.Sprintf("resource %q", truncate(text))}
	if version, remainder, ok := strings.Cut(group, "."); ok {
		q.candidates = append(q.candidates, candidate{name, version, remainder})
	}
	q.candidates = append(q.candidates, candidate{name: name, group: group})
	q.noMatch = &meta.NoResourceMatchError{PartialResource: schema.GroupVersionResource{Group: group, Resource: name}}
	return q, nil
}

// matchKind returns the first of the resources, all of the candidate's kind, in
// the candidate's group and version. An empty group is the core group; an empty
// version matches any.
func (c candidate) matchKind(resources []*Resource) *Resource {
	for _, r := range resources {
		if r.Group == c.group && (c.version == "" || r.Version == c.version) {
			return r
		}
	}
	return nil
}

// matchName returns the first of the resources, all of the candidate's name, in
// the candidate's group and version; if either is empty, it matches any. Without a
// version, a prefix of the group matches if no group equals it.
func (c candidate) matchName(resources []*Resource) *Resource {
	for _, r := range resources {
		if (c.group == "" || r.Group == c.group) && (c.version == "" || r.Version == c.version) {
			return r
		}
	}
	if c.version != "" || c.group == "" {
		return nil
	}
	for _, r := range resources {
		if strings.HasPrefix(r.Group, c.group) {
			return r
		}
	}
	return nil
}

// mayMatch reports whether a group version with unknown resources may contain the
// resource.
func (q query) mayMatch(gv schema.GroupVersion) bool {
	for _, c := range q.candidates {
		versionFits := c.version == "" || c.version == gv.Version
		groupFits := c.group == gv.Group || !q.byKind && (c.group == "" || c.version == "" && strings.HasPrefix(gv.Group, c.group))
		if versionFits && groupFits {
			return true
		}
	}
	return false
}
