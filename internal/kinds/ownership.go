package kinds

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Created returns the fields that the creator of an object owns, in the FieldsV1
// form of managedFields: the entry that the field manager would make for a new
// object without managedFields, computed in one walk. Subtrees in resets (paths
// with dots) are left out. ok is false for objects that need the field manager
// itself, such as those with nulls.
func (c *Converter) Created(object, empty map[string]any, resets []string) (fields map[string]any, ok bool) {
	w := ownershipWalk{simple: true, ownedWhole: map[string]any{}}
	fields = map[string]any{}
	w.members(fields, c.kind, object, empty)
	metadata, _ := fields["f:metadata"].(map[string]any)
	for _, name := range unmanagedMetadata {
		delete(metadata, name)
	}
	if len(metadata) == 0 {
		delete(fields, "f:metadata")
	}
	delete(fields, "f:apiVersion")
	delete(fields, "f:kind")
	for _, path := range resets {
		removePath(fields, path)
	}
	return fields, w.simple
}

// unmanagedMetadata are the fields of the metadata that have no manager.
var unmanagedMetadata = []string{
	".", "f:name", "f:namespace", "f:creationTimestamp", "f:selfLink", "f:uid", "f:clusterName", "f:generation", "f:managedFields", "f:resourceVersion",
}

// removePath removes a path, and its parents that become empty.
func removePath(fields map[string]any, path string) {
	name, rest, more := strings.Cut(path, ".")
	below, ok := fields["f:"+name].(map[string]any)
	if !ok {
		return
	}
	if more {
		removePath(below, rest)
	}
	if !more || len(below) == 0 {
		delete(fields, "f:"+name)
	}
}

// ownershipWalk is the state of one walk over an object.
type ownershipWalk struct {
	simple bool // no value has been found that needs the field manager
	// ownedWhole is the entry of a value that is owned as a whole. It stays empty.
	ownedWhole map[string]any
}

// value returns the fields to enter for a value, nil if there are none. live is
// the value at the same path of the empty object, if hasLive. A nil type is
// unknown.
func (w *ownershipWalk) value(typ *Type, relation string, value, live any, hasLive bool) map[string]any {
	if typ != nil && typ.kind == anything {
		typ = nil
	}
	if hasLive && (typ == nil || typ.kind == raw) {
		w.simple = false
		return nil
	}
	switch value := value.(type) {
	case map[string]any:
		if typ != nil && typ.kind != object && typ.kind != raw {
			break
		}
		atomic := typ != nil && (typ.kind == raw || typ.atomic && relation != "granular" || relation == "atomic")
		if liveFields, _ := live.(map[string]any); !atomic && len(value)+len(liveFields) > 0 {
			fields := make(map[string]any, len(value)+1)
			if !hasLive {
				fields["."] = w.ownedWhole
			}
			w.members(fields, typ, value, liveFields)
			if len(fields) == 0 {
				return nil
			}
			return fields
		}
		return w.leaf(value, live, hasLive)
	case []any:
		if typ != nil && typ.kind != list && typ.kind != raw {
			break
		}
		liveElements, _ := live.([]any)
		if typ == nil || typ.kind == raw || !typ.set && len(typ.keys) == 0 || len(value)+len(liveElements) == 0 {
			return w.leaf(value, live, hasLive)
		}
		if len(liveElements) > 0 {
			break
		}
		return w.elements(typ, value, hasLive)
	case string:
		if typ == nil || typ.kind == text || typ.kind == scalar || typ.kind == raw {
			return w.leaf(value, live, hasLive)
		}
	case bool:
		if typ == nil || typ.kind == boolean || typ.kind == scalar || typ.kind == raw {
			return w.leaf(value, live, hasLive)
		}
	case int64, float64:
		if typ == nil || typ.kind == number || typ.kind == scalar || typ.kind == raw {
			return w.leaf(value, live, hasLive)
		}
	}
	w.simple = false
	return nil
}

func (w *ownershipWalk) leaf(value, live any, hasLive bool) map[string]any {
	if hasLive && reflect.DeepEqual(value, live) {
		return nil
	}
	return w.ownedWhole
}

// members enters the fields of an object.
func (w *ownershipWalk) members(into map[string]any, typ *Type, value, live map[string]any) {
	for name, part := range value {
		var partType *Type
		relation := ""
		if typ != nil {
			if field := typ.fields[name]; field != nil {
				partType, relation = field.Type, field.relation
			} else {
				partType = typ.element
			}
		}
		livePart, hasLive := live[name]
		if entered := w.value(partType, relation, part, livePart, hasLive); entered != nil {
			into["f:"+name] = entered
		}
	}
}

// elements enters the elements of a list that is a set or has keys.
func (w *ownershipWalk) elements(typ *Type, value []any, hasLive bool) map[string]any {
	fields := make(map[string]any, len(value)+1)
	if !hasLive {
		fields["."] = w.ownedWhole
	}
	for _, part := range value {
		name := w.element(typ, part)
		if _, twice := fields[name]; twice || name == "" {
			w.simple = false
			return nil
		}
		if entered := w.value(typ.element, "", part, nil, false); entered != nil {
			fields[name] = entered
		}
	}
	return fields
}

// element returns the path element that identifies an element of a list, "" if the
// element is not simple.
func (w *ownershipWalk) element(typ *Type, value any) string {
	if typ.set {
		if !isScalar(value) {
			return ""
		}
		return "v:" + scalarText(value)
	}
	fields, _ := value.(map[string]any)
	parts := make([]string, 0, len(typ.keys))
	for _, key := range typ.keys {
		value, given := fields[key]
		if keyType := typ.element.child(key); !given && keyType != nil {
			value = keyType.defaultValue
		}
		if value == nil {
			continue
		}
		if !isScalar(value) {
			return ""
		}
		parts = append(parts, scalarText(key)+":"+scalarText(value))
	}
	if len(parts) == 0 {
		return ""
	}
	if len(parts) > 1 {
		slices.Sort(parts)
	}
	return "k:{" + strings.Join(parts, ",") + "}"
}

// scalarText returns a scalar in JSON.
func scalarText(value any) string {
	switch value := value.(type) {
	case int64:
		return strconv.FormatInt(value, 10)
	case string:
		if isPlain(value) {
			return `"` + value + `"`
		}
	}
	text, _ := json.Marshal(value) // a scalar
	return string(text)
}

// isPlain reports whether the JSON of a text is the text in quotes.
func isPlain(value string) bool {
	for i := range len(value) {
		switch c := value[i]; {
		case c < ' ' || c >= 0x7f, c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}
