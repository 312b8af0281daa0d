package kinds

import (
	"slices"
	"strconv"
)

// Prune takes out of an object what its schema does not know, as the real server
// does before it stores it, and says where that was: such as spec.foo or
// spec.list[0].foo. The fields of metadata come first; each part is sorted. For
// built-in kinds Trim does more.
//
// Strict validation answers with them, as in
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

// prune a value of a type; nil is one of which nothing is known.
func (p *pruner) prune(t *Type, value any, path string) {
	switch value := value.(type) {
	case map[string]any:
		for name, part := range value {
			if t != nil && t.embedded && isMeta(name) {
				continue
			}
			if typ := t.part(name); typ != nil {
				p.prune(typ, part, join(path, name))
			} else if t == nil || !t.preserve {
				p.unknown = append(p.unknown, join(path, name))
				delete(value, name)
			}
		}
	case []any:
		if element := t.elements(); element != nil || t == nil || !t.preserve {
			for i, part := range value {
				p.prune(element, part, path+"["+strconv.Itoa(i)+"]")
			}
		}
	}
}

// embedded prunes the metadata of objects in objects. The real server writes
// their paths in another way: keys that the schema does not name stand in
// brackets.
func (p *pruner) embedded(t *Type, value any, path string) {
	if t == nil || !t.custom {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		if t.embedded && t != p.root {
			p.prune(t.at("metadata"), value["metadata"], join(path, "metadata"))
		}
		for name, part := range value {
			if t.fields[name] != nil {
				p.embedded(t.part(name), part, join(path, name))
			} else {
				p.embedded(t.part(name), part, path+"["+name+"]")
			}
		}
	case []any:
		for i, part := range value {
			p.embedded(t.elements(), part, path+"["+strconv.Itoa(i)+"]")
		}
	}
}

// part is the type of an object's field, nil if it is not known.
func (t *Type) part(name string) *Type {
	if t == nil || t.sort != object {
		return nil
	}
	return t.at(name)
}

// elements is the type of a list's elements, nil if it is not known.
func (t *Type) elements() *Type {
	if t == nil || t.sort != list {
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
