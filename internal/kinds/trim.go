package kinds

import (
	"slices"
	"strconv"
)

// Trim makes of an object what the Go type of its built-in kind would hold of
// it: fields that are not known and nulls are taken out. It says which were not
// known, each as its path, sorted; and whether all values are of the types of
// their fields. If they are not, Inspect and Unlike say what is wrong.
func (t *Type) Trim(content map[string]any) (unknown []string, fits bool) {
	r := trimmer{fits: true, at: make([]place, 0, 16)}
	r.object(slot{Type: t}, content)
	slices.Sort(r.unknown)
	return r.unknown, r.fits
}

// trimmer is one walk.
type trimmer struct {
	unknown []string
	fits    bool
	// at is where the walk is. It is written as a path when something is found,
	// which is rare.
	at []place
}

// place is a step of a path: a member of an object, or an element of a list.
type place struct {
	name  string
	index int // of members, -1
}

// path of a member of the object that the walk is at.
func (r *trimmer) path(name string) string {
	path := ""
	for _, step := range append(r.at, place{name, -1}) {
		if step.index >= 0 {
			path += "[" + strconv.Itoa(step.index) + "]"
		} else {
			path = join(path, step.name)
		}
	}
	return path
}

func (r *trimmer) object(of slot, value map[string]any) {
	for name, part := range value {
		member := of.member(name)
		switch {
		case member.Type == nil:
			r.unknown = append(r.unknown, r.path(name))
			delete(value, name)
		case part != nil:
			r.step(place{name, -1}, member, part)
		case of.fields == nil && member.sort == text:
			value[name] = "" // an entry of a map is there
		default:
			delete(value, name)
		}
	}
}

func (r *trimmer) step(to place, of slot, value any) {
	r.at = append(r.at, to)
	r.value(of, value)
	r.at = r.at[:len(r.at)-1]
}

func (r *trimmer) value(of slot, value any) {
	switch value := value.(type) {
	case map[string]any:
		if of.sort == object && !of.closed() {
			r.object(of, value)
			return
		}
	case []any:
		if of.sort == list {
			part := of.part()
			for i, element := range value {
				r.step(place{index: i}, part, element)
			}
			return
		}
	default:
		r.fits = r.fits && of.fits(value)
		return
	}
	r.fits = r.fits && of.takesAnything()
}
