package kinds

import "slices"

// conforming returns a copy of value without the parts that do not match the
// type, which cannot be merged. Unknown fields are kept. ok is false if nothing is
// left.
func (t *Type) conforming(value any) (matching any, ok bool) {
	switch value := value.(type) {
	case nil:
		return nil, true
	case map[string]any:
		if t.kind == object {
			return t.conformingObject(value), true
		}
	case []any:
		if t.kind == list {
			return t.conformingList(value), true
		}
	case string:
		ok = t.kind == text || t.kind == scalar
	case bool:
		ok = t.kind == boolean || t.kind == scalar
	case int64, float64:
		ok = t.kind == number || t.kind == scalar
	}
	return value, ok || t.kind == anything || t.kind == raw
}

func (t *Type) conformingObject(value map[string]any) map[string]any {
	matching := make(map[string]any, len(value))
	for name, part := range value {
		typ := t.child(name)
		if typ == nil {
			matching[name] = part
		} else if part, ok := typ.conforming(part); ok {
			matching[name] = part
		}
	}
	return matching
}

func (t *Type) conformingList(value []any) []any {
	matching := make([]any, 0, len(value))
	for _, part := range value {
		if part, ok := t.element.conforming(part); ok && t.identifies(part) {
			matching = append(matching, part)
		}
	}
	return matching
}

// identifies reports whether an element can be identified within its list: an
// element of a set must be a scalar, and an element of a list with keys must have
// at least one of them.
func (t *Type) identifies(element any) bool {
	if t.set {
		return isScalar(element)
	}
	if len(t.keys) == 0 {
		return true
	}
	fields, ok := element.(map[string]any)
	return ok && slices.ContainsFunc(t.keys, func(key string) bool {
		_, given := fields[key]
		typ := t.element.child(key)
		return given || typ != nil && typ.defaultValue != nil
	})
}

func isScalar(value any) bool {
	switch value.(type) {
	case string, bool, int64, float64:
		return true
	}
	return false
}
