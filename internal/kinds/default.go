package kinds

import "k8s.io/apimachinery/pkg/runtime"

// Default fills in what the schema of a custom resource has a default for.
// Objects of built-in kinds are left as they are.
func (t *Type) Default(content map[string]any) { t.fill(content) }

func (t *Type) fill(value any) {
	// The fallbacks of the table are those of keys, and not for objects.
	if t == nil || !t.custom {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for name, field := range t.fields {
			if given, ok := value[name]; field.fallback != nil && (!ok || field.isMissing(given)) {
				value[name] = runtime.DeepCopyJSONValue(field.fallback)
			}
		}
		for name, part := range value {
			typ := t.part(name)
			if typ != nil && typ.fallback != nil && typ.isMissing(part) {
				part = runtime.DeepCopyJSONValue(typ.fallback)
				value[name] = part
			}
			typ.fill(part)
		}
	case []any:
		element := t.elements()
		for i, part := range value {
			if element != nil && element.fallback != nil && element.isMissing(part) {
				part = runtime.DeepCopyJSONValue(element.fallback)
				value[i] = part
			}
			element.fill(part)
		}
	}
}

// isMissing: null stands for nothing unless the type can be null.
func (t *Type) isMissing(value any) bool { return value == nil && !t.nullable }

// DropNulls takes out of objects the fields that are null, may not be, and have
// no default. Those of which nothing is known stay.
func (t *Type) DropNulls(content map[string]any) { t.dropNulls(content) }

func (t *Type) dropNulls(value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, part := range value {
			typ := t.part(name)
			if typ != nil && typ.isMissing(part) && typ.fallback == nil {
				delete(value, name)
			} else if typ != nil {
				typ.dropNulls(part)
			}
		}
	case []any:
		if element := t.elements(); element != nil {
			for _, part := range value {
				element.dropNulls(part)
			}
		}
	}
}
