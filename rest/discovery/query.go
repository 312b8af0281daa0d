package discovery

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// query is what somebody looks for.
type query struct {
	text     string    // for errors
	readings []reading // the first that matches is meant
	// exactKind: there is one reading, its name is a kind, and its group is
	// meant even if it is "", core's.
	exactKind bool
	// none is what apimachinery calls it if there is no such resource.
	none error
}

// reading is one way to take the words: a version or group that is "" is not
// said.
type reading struct{ name, version, group string }

// ofKind looks for a kind of one group; its version may be "".
func ofKind(gvk schema.GroupVersionKind) (query, error) {
	if gvk.Kind == "" {
		return query{}, errors.New("look up a kind: it has no name")
	}
	text := fmt.Sprintf("kind %q in the group %q", cut(gvk.Kind), cut(gvk.Group))
	if gvk.Version != "" {
		text = fmt.Sprintf("kind %q in %s", cut(gvk.Kind), cut(gvk.GroupVersion().String()))
	}
	none := &meta.NoKindMatchError{GroupKind: gvk.GroupKind()}
	if gvk.Version != "" {
		none.SearchedVersions = []string{gvk.Version}
	}
	return query{text, []reading{{gvk.Kind, gvk.Version, gvk.Group}}, true, none}, nil
}

// ofWord looks for name, name.group or name.version.group. The last two look
// alike when the group has a dot in it: first it is taken to have a version.
func ofWord(word string) (query, error) {
	if slash := strings.IndexByte(word, '/'); slash >= 0 {
		return query{}, fmt.Errorf("look up the resource %q: a subresource is not a resource; look up %q", cut(word), cut(word[:slash]))
	}
	name, group, _ := strings.Cut(word, ".")
	if name == "" {
		return query{}, fmt.Errorf("look up the resource %q: it has no name", cut(word))
	}
	q := query{text: fmt.Sprintf("resource %q", cut(word))}
	if version, rest, ok := strings.Cut(group, "."); ok {
		q.readings = append(q.readings, reading{name, version, rest})
	}
	q.readings = append(q.readings, reading{name: name, group: group})
	q.none = &meta.NoResourceMatchError{PartialResource: schema.GroupVersionResource{Group: group, Resource: name}}
	return q, nil
}

// exactOf is the first of some resources of the reading's kind that has its
// group, core's if it is "", and its version, if that is said.
func (as reading) exactOf(ofKind []*Resource) *Resource {
	for _, r := range ofKind {
		if r.Group == as.group && (as.version == "" || r.Version == as.version) {
			return r
		}
	}
	return nil
}

// firstOf is the first of some resources of the reading's name that has its
// group and version. Without a version, the beginning of a group will do if no
// group has that name.
func (as reading) firstOf(named []*Resource) *Resource {
	for _, r := range named {
		if (as.group == "" || r.Group == as.group) && (as.version == "" || r.Version == as.version) {
			return r
		}
	}
	if as.version != "" || as.group == "" {
		return nil
	}
	for _, r := range named {
		if strings.HasPrefix(r.Group, as.group) {
			return r
		}
	}
	return nil
}

// mayBeIn is whether a group version, of which nothing is known, may have it.
func (q query) mayBeIn(gv schema.GroupVersion) bool {
	for _, as := range q.readings {
		versionFits := as.version == "" || as.version == gv.Version
		groupFits := as.group == gv.Group || !q.exactKind && (as.group == "" || as.version == "" && strings.HasPrefix(gv.Group, as.group))
		if versionFits && groupFits {
			return true
		}
	}
	return false
}
