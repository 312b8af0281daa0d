package kinds

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxSchemaDepth bounds how deep a schema may nest. Real ones are a few tens
// deep.
const maxSchemaDepth = 1000

var errSchemaTooDeep = errors.New("the schema nests too deeply")

// FromSchema is the type of a custom resource by its structural schema, the
// openAPIV3Schema of a CustomResourceDefinition's version. Of the schema only
// what says how objects are put together is looked at; values are not checked.
func FromSchema(schema map[string]any) (*Type, error) {
	root, err := fromSchema(schema, "#", false, 0)
	if err != nil {
		return nil, err
	}
	root.sort, root.embedded = object, true
	root.addMeta()
	return root, nil
}

// fromSchema reads one schema; path names it, loose is whether a schema around
// it preserves unknown fields.
func fromSchema(schema map[string]any, path string, loose bool, depth int) (*Type, error) {
	if depth > maxSchemaDepth {
		return nil, errSchemaTooDeep
	}
	t := &Type{name: path, custom: true, inherits: loose, fallback: schema["default"]}
	t.preserve = schema["x-kubernetes-preserve-unknown-fields"] == true
	t.embedded = schema["x-kubernetes-embedded-resource"] == true
	t.nullable = schema["nullable"] == true
	t.atomic = schema["x-kubernetes-map-type"] == "atomic"
	t.sort = sortOf(schema)
	loose = loose || t.preserve

	switch t.sort {
	case list:
		return t, t.readList(schema, loose, depth)
	case object:
		if err := t.readObject(schema, loose, depth); err != nil {
			return nil, err
		}
		if t.embedded {
			t.addMeta()
		}
	}
	return t, nil
}

func sortOf(schema map[string]any) sort {
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

func (t *Type) readList(schema map[string]any, loose bool, depth int) (err error) {
	items, _ := schema["items"].(map[string]any)
	if t.element, err = fromSchema(items, t.name+"[]", loose, depth+1); err != nil {
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
				return fmt.Errorf("%s: x-kubernetes-list-map-keys has a %T", t.name, key)
			}
			t.keys = append(t.keys, name)
		}
		if t.keys == nil {
			return fmt.Errorf("%s: a list of the type map needs x-kubernetes-list-map-keys", t.name)
		}
	}
	return nil
}

// step leads to a property, and is no other path: not to a.b by a and then b.
func step(name string) string {
	if strings.ContainsAny(name, `.[]{}" `) {
		return "[" + strconv.Quote(name) + "]"
	}
	return "." + name
}

func (t *Type) readObject(schema map[string]any, loose bool, depth int) error {
	properties, _ := schema["properties"].(map[string]any)
	t.fields = make(map[string]*field, len(properties))
	for name, property := range properties {
		path := t.name + step(name)
		property, ok := property.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: the property is no schema", path)
		}
		typ, err := fromSchema(property, path, loose, depth+1)
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
		typ, err := fromSchema(additional, t.name+"{}", loose, depth+1)
		if err != nil {
			return err
		}
		t.element = typ
	}
	return nil
}

// addMeta adds what each object has, whatever its schema says of it.
func (t *Type) addMeta() {
	if t.fields == nil {
		t.fields = map[string]*field{}
	}
	t.fields["apiVersion"] = &field{Type: builtinType("string")}
	t.fields["kind"] = &field{Type: builtinType("string")}
	t.fields["metadata"] = &field{Type: builtinType("meta.ObjectMeta")}
}
