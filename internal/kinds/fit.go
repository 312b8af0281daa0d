package kinds

import "slices"

// fit is a copy of a value without what is not as the type says, which is what
// nobody can merge; ok is whether anything is left. Fields that are not known
// stay.
func (t *Type) fit(value any) (fitting any, ok bool) {
	switch value := value.(type) {
	case nil:
		return nil, true
	case map[string]any:
		if t.sort == object {
			return t.fitObject(value), true
		}
	case []any:
		if t.sort == list {
			return t.fitList(value), true
		}
	case string:
		ok = t.sort == text || t.sort == scalar
	case bool:
		ok = t.sort == boolean || t.sort == scalar
	case int64, float64:
		ok = t.sort == number || t.sort == scalar
	}
	return value, ok || t.sort == anything || t.sort == raw
}

func (t *Type) fitObject(value map[string]any) map[string]any {
	fitting := make(map[string]any, len(value))
	for name, part := range value {
		typ := t.at(name)
		if typ == nil {
			fitting[name] = part
		} else if part, ok := typ.fit(part); ok {
			fitting[name] = part
		}
	}
	return fitting
}

func (t *Type) fitList(value []any) []any {
	fitting := make([]any, 0, len(value))
	for _, part := range value {
		if part, ok := t.element.fit(part); ok && t.identifies(part) {
			fitting = append(fitting, part)
		}
	}
	return fitting
}

// identifies says whether an element can be told from the others: those of
// sets are scalars, those of lists with keys have one of them at least.
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
		typ := t.element.at(key)
		return given || typ != nil && typ.fallback != nil
	})
}

func isScalar(value any) bool {
	switch value.(type) {
	case string, bool, int64, float64:
		return true
	}
	return false
}
