package definition

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/thinformer/thinformer/internal/kinds"
)

// maxSchemaDepth bounds the depth to which a schema is validated.
const maxSchemaDepth = 100

// validateSchema finds violations of the rules for structural schemas, and
// other frequent mistakes: wrong types, and lists and maps that cannot be
// merged as declared.
func (v *Version) validateSchema(at *field.Path) field.ErrorList {
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return nil
	}
	root := v.Schema.OpenAPIV3Schema
	var all field.ErrorList
	if v.Subresources != nil && v.Subresources.Status != nil && textOf(root, "type") != "object" && textOf(root, "type") != "" {
		all = append(all, field.Invalid(field.NewPath(strings.TrimSuffix(at.String(), ".openAPIV3Schema")).Child("openAPIV3Schema.type"), textOf(root, "type"), `only "object" is allowed as the type at the root of the schema if the status subresource is enabled`))
	}
	if root["nullable"] == true {
		all = append(all, field.Forbidden(field.NewPath(at.String()+".nullable"), "nullable cannot be true at the root"))
	}
	if !hasUnsupportedMembers(root, 0) {
		structural := validateStructural(root, schemaAtRoot, at, 0)
		slices.SortFunc(structural, func(a, b *field.Error) int { return strings.Compare(a.Error(), b.Error()) })
		all = append(all, structural...)
	}
	all = append(all, validateOpenAPI(root, at, 0)...)
	if len(all) == 0 {
		if _, err := kinds.FromSchema(root); err != nil {
			all = append(all, field.Invalid(at, "", err.Error()))
		}
	}
	return all
}

// unsupportedMembers are not allowed in schemas of definitions.
var unsupportedMembers = []string{"$ref", "additionalItems", "definitions", "dependencies", "id", "patternProperties"}

// hasUnsupportedMembers reports whether a schema has members that are never
// structural. The structure is then not validated.
func hasUnsupportedMembers(schema map[string]any, depth int) bool {
	if depth > maxSchemaDepth {
		return false
	}
	for _, name := range unsupportedMembers {
		if schema[name] != nil {
			return true
		}
	}
	if schema["x-kubernetes-preserve-unknown-fields"] == false {
		return true
	}
	parts, _ := schema["properties"].(map[string]any)
	for _, part := range parts {
		if below, ok := part.(map[string]any); ok && hasUnsupportedMembers(below, depth+1) {
			return true
		}
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if below, ok := schema[name].(map[string]any); ok && hasUnsupportedMembers(below, depth+1) {
			return true
		}
	}
	return false
}

type schemaPlace string

const (
	schemaAtRoot  schemaPlace = "must not be empty at the root"
	schemaOfItem  schemaPlace = "must not be empty for specified array items"
	schemaOfField schemaPlace = "must not be empty for specified object fields"
)

// validateStructural checks that every field has one type, and that the
// extensions fit it.
func validateStructural(schema map[string]any, place schemaPlace, at *field.Path, depth int) field.ErrorList {
	if depth > maxSchemaDepth {
		return field.ErrorList{field.Invalid(at, "", "is nested too deeply")}
	}
	var all field.ErrorList
	kind := textOf(schema, "type")
	intOrString, preserve, embedded := schema["x-kubernetes-int-or-string"] == true, schema["x-kubernetes-preserve-unknown-fields"] == true, schema["x-kubernetes-embedded-resource"] == true
	if items, ok := schema["items"].(map[string]any); ok {
		all = append(all, validateStructural(items, schemaOfItem, at.Child("items"), depth+1)...)
	} else if kind == "array" {
		all = append(all, field.Required(at.Child("items"), "must be specified"))
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		below, _ := property.(map[string]any)
		if place == schemaAtRoot && name == "metadata" {
			all = append(all, validateMetadataSchema(below, at.Child("properties").Key(name))...)
			continue
		}
		all = append(all, validateStructural(below, schemaOfField, at.Child("properties").Key(name), depth+1)...)
	}
	additional, given := schema["additionalProperties"]
	if given && place == schemaAtRoot {
		all = append(all, field.Forbidden(at.Child("additionalProperties"), "must not be used at the root"))
	}
	if below, ok := additional.(map[string]any); ok {
		all = append(all, validateStructural(below, schemaOfField, at.Child("additionalProperties"), depth+1)...)
	}
	if intOrString && preserve {
		all = append(all, field.Invalid(at.Child("x-kubernetes-preserve-unknown-fields"), true, "must be false if x-kubernetes-int-or-string is true"))
	}
	switch {
	case embedded && kind == "":
		all = append(all, field.Required(at.Child("type"), "must be object if x-kubernetes-embedded-resource is true"))
	case embedded && kind != "object":
		all = append(all, field.Invalid(at.Child("type"), kind, "must be object if x-kubernetes-embedded-resource is true"))
	case kind == "" && !intOrString && !preserve:
		all = append(all, field.Required(at.Child("type"), string(place)))
	}
	if embedded && !preserve && len(properties) == 0 {
		all = append(all, field.Required(at.Child("properties"), "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"))
	}
	if place == schemaAtRoot && kind != "" && kind != "object" {
		all = append(all, field.Invalid(at.Child("type"), kind, "must be object at the root"))
	}
	return all
}

// validateMetadataSchema checks that a schema restricts only the names of the
// metadata.
func validateMetadataSchema(schema map[string]any, at *field.Path) field.ErrorList {
	var all field.ErrorList
	if kind := textOf(schema, "type"); kind != "object" {
		all = append(all, field.Invalid(at.Child("type"), kind, "must be object"))
	}
	properties, _ := schema["properties"].(map[string]any)
	for name := range properties {
		if name != "name" && name != "generateName" {
			return append(all, field.Forbidden(at, "must not specify anything other than name and generateName, but metadata is implicitly specified"))
		}
	}
	return all
}

var schemaTypes = []string{"array", "boolean", "integer", "number", "object", "string"}

// validateOpenAPI validates each schema by itself.
func validateOpenAPI(schema map[string]any, at *field.Path, depth int) field.ErrorList {
	if depth > maxSchemaDepth {
		return nil
	}
	var all field.ErrorList
	if kind := textOf(schema, "type"); kind != "" && !slices.Contains(schemaTypes, kind) {
		all = append(all, field.NotSupported(at.Child("type"), kind, schemaTypes))
	}
	for _, name := range unsupportedMembers {
		if schema[name] != nil {
			all = append(all, field.Forbidden(at.Child(name), name+" is not supported"))
		}
	}
	if schema["type"] == "null" {
		all = append(all, field.Forbidden(at.Child("type"), "type cannot be set to null, use nullable as an alternative"))
	}
	if schema["uniqueItems"] == true {
		all = append(all, field.Forbidden(at.Child("uniqueItems"), "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"))
	}
	properties, _ := schema["properties"].(map[string]any)
	if additional, given := schema["additionalProperties"]; given {
		if len(properties) > 0 && additional != true {
			all = append(all, field.Forbidden(at.Child("additionalProperties"), "additionalProperties and properties are mutual exclusive"))
		}
		if below, ok := additional.(map[string]any); ok {
			all = append(all, validateOpenAPI(below, at.Child("additionalProperties"), depth+1)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if below, ok := properties[name].(map[string]any); ok {
			all = append(all, validateOpenAPI(below, at.Child("properties").Key(name), depth+1)...)
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		all = append(all, validateOpenAPI(items, at.Child("items"), depth+1)...)
	}
	if schema["x-kubernetes-preserve-unknown-fields"] == false {
		all = append(all, field.Invalid(at.Child("x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined"))
	}
	return append(append(all, validateMapType(schema, at)...), validateListType(schema, at)...)
}

func validateMapType(schema map[string]any, at *field.Path) field.ErrorList {
	var all field.ErrorList
	how, given := schema["x-kubernetes-map-type"].(string)
	if !given {
		return nil
	}
	if kind := textOf(schema, "type"); kind == "" {
		all = append(all, field.Required(at.Child("type"), "must be object if x-kubernetes-map-type is specified"))
	} else if kind != "object" {
		all = append(all, field.Invalid(at.Child("type"), kind, "must be object if x-kubernetes-map-type is specified"))
	}
	if how != "atomic" && how != "granular" {
		all = append(all, field.NotSupported(at.Child("x-kubernetes-map-type"), how, []string{"atomic", "granular"}))
	}
	return all
}

func validateListType(schema map[string]any, at *field.Path) field.ErrorList {
	var all field.ErrorList
	how, given := schema["x-kubernetes-list-type"].(string)
	keys, _ := schema["x-kubernetes-list-map-keys"].([]any)
	items, _ := schema["items"].(map[string]any)
	if given {
		if kind := textOf(schema, "type"); kind == "" {
			all = append(all, field.Required(at.Child("type"), "must be array if x-kubernetes-list-type is specified"))
		} else if kind != "array" {
			all = append(all, field.Invalid(at.Child("type"), kind, "must be array if x-kubernetes-list-type is specified"))
		} else if how == "set" {
			all = append(all, validateSetItems(items, at.Child("items"))...)
		}
		if how != "atomic" && how != "set" && how != "map" {
			all = append(all, field.NotSupported(at.Child("x-kubernetes-list-type"), how, []string{"atomic", "set", "map"}))
		}
	}
	if len(keys) > 0 && how != "map" {
		at := at.Child("x-kubernetes-list-type")
		if given {
			all = append(all, field.Invalid(at, how, "must be map if x-kubernetes-list-map-keys is non-empty"))
		} else {
			all = append(all, field.Required(at, "must be map if x-kubernetes-list-map-keys is non-empty"))
		}
	}
	if how == "map" {
		all = append(all, validateMapKeys(keys, items, at)...)
	}
	if (how == "map" || how == "set") && items["nullable"] == true {
		all = append(all, field.Forbidden(at.Child("items", "nullable"), "cannot be nullable when x-kubernetes-list-type is "+how))
	}
	return all
}

// validateSetItems checks that the items of a set are atomic.
func validateSetItems(items map[string]any, at *field.Path) field.ErrorList {
	const detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
	list := items["x-kubernetes-list-type"]
	switch textOf(items, "type") {
	case "array":
		if list != nil && list != "atomic" {
			return field.ErrorList{field.Invalid(at.Child("x-kubernetes-list-type"), list, detail)}
		}
	case "object":
		if items["x-kubernetes-map-type"] != "atomic" {
			return field.ErrorList{field.Invalid(at.Child("x-kubernetes-map-type"), list, detail)}
		}
	}
	return nil
}

// validateMapKeys checks that the items of a list with map keys are objects
// whose keys are scalar and always present.
func validateMapKeys(keys []any, items map[string]any, at *field.Path) field.ErrorList {
	var all field.ErrorList
	keysAt := at.Child("x-kubernetes-list-map-keys")
	if len(keys) == 0 {
		all = append(all, field.Required(keysAt, "must not be empty if x-kubernetes-list-type is map"))
	}
	if items == nil {
		return append(all, field.Required(at.Child("items"), "must have a schema if x-kubernetes-list-type is map"))
	}
	if kind := textOf(items, "type"); kind != "object" {
		return append(all, field.Invalid(at.Child("items", "type"), kind, "must be object if parent array's x-kubernetes-list-type is map"))
	}
	properties, _ := items["properties"].(map[string]any)
	required, _ := items["required"].([]any)
	seen := map[any]bool{}
	var missing field.ErrorList
	for _, key := range keys {
		name, _ := key.(string)
		property, known := properties[name].(map[string]any)
		at := at.Child("items", "properties").Key(name)
		switch kind := textOf(property, "type"); {
		case !known:
			all = append(all, field.Invalid(keysAt, keys, "entries must all be names of item properties"))
		case kind == "array" || kind == "object":
			all = append(all, field.Invalid(at.Child("type"), textOf(items, "type"), "must be a scalar type if parent array's x-kubernetes-list-type is map"))
		}
		if seen[name] {
			all = append(all, field.Invalid(keysAt, keys, "must not contain duplicate entries"))
		}
		seen[name] = true
		if known && property["default"] == nil && !slices.Contains(required, key) {
			missing = append(missing, field.Required(at.Child("default"), "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"))
		}
		if property["nullable"] == true {
			missing = append(missing, field.Forbidden(at.Child("nullable"), "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"))
		}
	}
	return append(all, missing...)
}

func textOf(object map[string]any, name string) string {
	text, _ := object[name].(string)
	return text
}
