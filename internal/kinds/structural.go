package kinds

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxSchemaDepth bounds the nesting of a schema. Real schemas have a few tens of
// levels.
const maxSchemaDepth = 1000

var errSchemaTooDeep = errors.New("the schema nests too deeply")

// FromSchema returns the type of a custom resource with this structural schema,
// the openAPIV3Schema of a CustomResourceDefinition's version. It uses only the
// parts that define the structure of objects; values are not validated.
func FromSchema(schema map[string]any) (*Type, error) {
	root, err := fromSchema(schema, "#", false, 0)
	if err != nil {
		return nil, err
	}
	root.kind, root.embedded = object, true
	root.addMeta()
	return root, nil
}

// fromSchema converts one schema. path names it; preserves reports whether an
// enclosing schema preserves unknown fields.
func fromSchema(schema map[string]any, path string, preserves bool, depth int) (*Type, error) {
	if depth > maxSchemaDepth {
		return nil, errSchemaTooDeep
	}
	t := &Type{name: path, custom: true, inheritsPreserve: preserves, defaultValue: schema["default"]}
	t.preserveUnknown = schema["x-kubernetes-preserve-unknown-fields"] == true
	t.embedded = schema["x-kubernetes-embedded-resource"] == true
	t.nullable = schema["nullable"] == true
	t.atomic = schema["x-kubernetes-map-type"] == "atomic"
	t.kind = kindOf(schema)
	preserves = preserves || t.preserveUnknown

	switch t.kind {
	case list:
		return t, t.readList(schema, preserves, depth)
	case object:
		if err := t.readObject(schema, preserves, depth); err != nil {
			return nil, err
		}
		if t.embedded {
			t.addMeta()
		}
	}
	return t, nil
}

func kindOf(schema map[string]any) valueKind {
	switch schema["type"] {
	case "object":
		return object
	case "array":
		return list
	case "integer", "number":
		return number
	case "boolean":
		return boolean
	case "string":
		if schema["format"] == nil || schema["format"] == "" || schema["format"] == "byte" {
			return text
		}
		return scalar
	}
	if schema["properties"] != nil {
		return object
	}
	return anything
}

func (t *Type) readList(schema map[string]any, preserves bool, depth int) (err error) {
	items, _ := schema["items"].(map[string]any)
	if t.element, err = fromSchema(items, t.name+"[]", preserves, depth+1); err != nil {
		return err
	}
	switch schema["x-kubernetes-list-type"] {
	case "set":
		t.set = true
	case "map":
		keys, _ := schema["x-kubernetes-list-map-keys"].([]any)
		for _, key := range keys {
			name, ok := key.(string)
			if !ok {
				return fmt.Errorf("%s: x-kubernetes-list-map-keys contains a %T, want a string", t.name, key)
			}
			t.keys = append(t.keys, name)
		}
		if t.keys == nil {
			return fmt.Errorf("%s: list type map requires x-kubernetes-list-map-keys", t.name)
		}
	}
	return nil
}

// propertyPath returns the path element of a property. It is unambiguous: a
// property a.b differs from the property b of a property a.
func propertyPath(name string) string {
	if strings.ContainsAny(name, `.[]{}" `) {
		return "[" + strconv.Quote(name) + "]"
	}
	return "." + name
}

func (t *Type) readObject(schema map[string]any, preserves bool, depth int) error {
	properties, _ := schema["properties"].(map[string]any)
	t.fields = make(map[string]*field, len(properties))
	for name, property := range properties {
		path := t.name + propertyPath(name)
		property, ok := property.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: property is not a schema", path)
		}
		typ, err := fromSchema(property, path, preserves, depth+1)
		if err != nil {
			return err
		}
		t.fields[name] = &field{Type: typ}
	}
	switch additional := schema["additionalProperties"].(type) {
	case bool:
		if additional {
			t.element = &Type{name: t.name + "{}", custom: true}
		}
	case map[string]any:
		typ, err := fromSchema(additional, t.name+"{}", preserves, depth+1)
		if err != nil {
			return err
		}
		t.element = typ
	}
	return nil
}

// addMeta adds the fields that every object has, whatever its schema.
func (t *Type) addMeta() {
	if t.fields == nil {
		t.fields = map[string]*field{}
	}
	t.fields["apiVersion"] = &field{Type: builtinType("string")}
	t.fields["kind"] = &field{Type: builtinType("string")}
	t.fields["metadata"] = &field{Type: builtinType("meta.ObjectMeta")}
}
