package kinds

import "k8s.io/apimachinery/pkg/runtime"

// Default sets the default values of a custom resource's schema. It does not
// change objects of built-in kinds. If tick is not nil, it is called for each value,
// and may panic to stop the work.
func (t *Type) Default(content map[string]any, tick func()) { t.fill(content, tick) }

func (t *Type) fill(value any, tick func()) {
	// The defaults of the table apply to list keys, not to objects.
	if t == nil || !t.custom {
		return
	}
	if tick != nil {
		tick()
	}
	switch value := value.(type) {
	case map[string]any:
		for name, field := range t.fields {
			if given, ok := value[name]; field.defaultValue != nil && (!ok || field.isMissing(given)) {
				value[name] = runtime.DeepCopyJSONValue(field.defaultValue)
			}
		}
		for name, part := range value {
			typ := t.childIfObject(name)
			if typ != nil && typ.defaultValue != nil && typ.isMissing(part) {
				part = runtime.DeepCopyJSONValue(typ.defaultValue)
				value[name] = part
			}
			typ.fill(part, tick)
		}
	case []any:
		element := t.elementIfList()
		for i, part := range value {
			if element != nil && element.defaultValue != nil && element.isMissing(part) {
				part = runtime.DeepCopyJSONValue(element.defaultValue)
				value[i] = part
			}
			element.fill(part, tick)
		}
	}
}

// isMissing reports whether value counts as absent: null does unless the type is
// nullable.
func (t *Type) isMissing(value any) bool { return value == nil && !t.nullable }

// DropNulls removes the fields of objects that are null, not nullable, and have
// no default. Unknown fields are kept.
func (t *Type) DropNulls(content map[string]any) { t.dropNulls(content) }

func (t *Type) dropNulls(value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, part := range value {
			typ := t.childIfObject(name)
			if typ != nil && typ.isMissing(part) && typ.defaultValue == nil {
				delete(value, name)
			} else if typ != nil {
				typ.dropNulls(part)
			}
		}
	case []any:
		if element := t.elementIfList(); element != nil {
			for _, part := range value {
				element.dropNulls(part)
			}
		}
	}
}
