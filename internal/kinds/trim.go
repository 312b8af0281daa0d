package kinds

import (
	"slices"
	"strconv"
)

// Trim removes the fields of an object that the Go type of its built-in kind
// would not keep: unknown fields and nulls. It returns the paths of the unknown
// fields, sorted, and reports whether all values have the types of their fields. If
// not, Inspect and Unlike return the details.
func (t *Type) Trim(content map[string]any) (unknown []string, fits bool) {
	r := trimmer{fits: true, position: make([]pathElement, 0, 16)}
	r.object(fieldType{Type: t}, content)
	slices.Sort(r.unknown)
	return r.unknown, r.fits
}

// trimmer is the state of one walk over an object.
type trimmer struct {
	unknown []string
	fits    bool
	// position of the walk. It is formatted as a path only for a finding, which is
	// rare.
	position []pathElement
}

// pathElement is a member of an object or an element of a list.
type pathElement struct {
	name  string
	index int // -1 for members
}

// path returns the path of a member of the current object.
func (r *trimmer) path(name string) string {
	path := ""
	for _, step := range append(r.position, pathElement{name, -1}) {
		if step.index >= 0 {
			path += "[" + strconv.Itoa(step.index) + "]"
		} else {
			path = join(path, step.name)
		}
	}
	return path
}

func (r *trimmer) object(typ fieldType, value map[string]any) {
	for name, part := range value {
		member := typ.memberType(name)
		switch {
		case member.Type == nil:
			r.unknown = append(r.unknown, r.path(name))
			delete(value, name)
		case part != nil:
			r.step(pathElement{name, -1}, member, part)
		case typ.fields == nil && member.kind == text:
			value[name] = "" // map entries are kept
		default:
			delete(value, name)
		}
	}
}

func (r *trimmer) step(to pathElement, typ fieldType, value any) {
	r.position = append(r.position, to)
	r.value(typ, value)
	r.position = r.position[:len(r.position)-1]
}

func (r *trimmer) value(typ fieldType, value any) {
	switch value := value.(type) {
	case map[string]any:
		if typ.kind == object && !typ.opaque() {
			r.object(typ, value)
			return
		}
	case []any:
		if typ.kind == list {
			part := typ.elementType()
			for i, element := range value {
				r.step(pathElement{index: i}, part, element)
			}
			return
		}
	default:
		r.fits = r.fits && typ.matches(value)
		return
	}
	r.fits = r.fits && typ.acceptsComposite()
}
