package kinds

import (
	"slices"
	"strconv"
)

// Prune removes the fields that an object's schema does not define, as the real
// server does before it stores the object, and returns their paths, such as
// spec.foo or spec.list[0].foo: those in metadata first, each part sorted. For
// built-in kinds use Trim.
//
// Strict validation reports them as in
//
//	strict decoding error: unknown field "spec.foo"
func (t *Type) Prune(content map[string]any) (unknown []string) {
	p := pruner{root: t}
	if metadata, ok := content["metadata"]; ok && t.custom {
		p.prune(builtinType("meta.ObjectMeta"), metadata, "metadata")
		unknown = p.sorted()
	}
	p.prune(t, content, "")
	unknown = append(unknown, p.sorted()...)
	p.embedded(t, content, "")
	return append(unknown, p.sorted()...)
}

type pruner struct {
	root    *Type
	unknown []string
}

func (p *pruner) sorted() []string {
	slices.Sort(p.unknown)
	found := p.unknown
	p.unknown = nil
	return found
}

// prune removes unknown fields from a value. A nil type is unknown.
func (p *pruner) prune(t *Type, value any, path string) {
	switch value := value.(type) {
	case map[string]any:
		for name, part := range value {
			if t != nil && t.embedded && isMeta(name) {
				continue
			}
			if typ := t.childIfObject(name); typ != nil {
				p.prune(typ, part, join(path, name))
			} else if t == nil || !t.preserveUnknown {
				p.unknown = append(p.unknown, join(path, name))
				delete(value, name)
			}
		}
	case []any:
		if element := t.elementIfList(); element != nil || t == nil || !t.preserveUnknown {
			for i, part := range value {
				p.prune(element, part, path+"["+strconv.Itoa(i)+"]")
			}
		}
	}
}

// embedded prunes the metadata of embedded objects. The real server writes their
// paths in another notation: keys that the schema does not name are in brackets.
func (p *pruner) embedded(t *Type, value any, path string) {
	if t == nil || !t.custom {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		if t.embedded && t != p.root {
			p.prune(t.child("metadata"), value["metadata"], join(path, "metadata"))
		}
		for name, part := range value {
			if t.fields[name] != nil {
				p.embedded(t.childIfObject(name), part, join(path, name))
			} else {
				p.embedded(t.childIfObject(name), part, path+"["+name+"]")
			}
		}
	case []any:
		for i, part := range value {
			p.embedded(t.elementIfList(), part, path+"["+strconv.Itoa(i)+"]")
		}
	}
}

// childIfObject returns the type of an object's field, nil if it is unknown.
func (t *Type) childIfObject(name string) *Type {
	if t == nil || t.kind != object {
		return nil
	}
	return t.child(name)
}

// elementIfList returns the type of a list's elements, nil if it is unknown.
func (t *Type) elementIfList() *Type {
	if t == nil || t.kind != list {
		return nil
	}
	return t.element
}

func isMeta(name string) bool {
	return name == "apiVersion" || name == "kind" || name == "metadata"
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
