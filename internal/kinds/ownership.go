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
func (w *ownershipWalk) value(of *Type, relation string, value, live any, hasLive bool) map[string]any {
	if of != nil && of.kind == anything {
		of = nil
	}
	if hasLive && (of == nil || of.kind == raw) {
		w.simple = false
		return nil
	}
	switch value := value.(type) {
	case map[string]any:
		if of != nil && of.kind != object && of.kind != raw {
			break
		}
		atomic := of != nil && (of.kind == raw || of.atomic && relation != "granular" || relation == "atomic")
		if was, _ := live.(map[string]any); !atomic && len(value)+len(was) > 0 {
			fields := make(map[string]any, len(value)+1)
			if !hasLive {
				fields["."] = w.ownedWhole
			}
			w.members(fields, of, value, was)
			if len(fields) == 0 {
				return nil
			}
			return fields
		}
		return w.leaf(value, live, hasLive)
	case []any:
		if of != nil && of.kind != list && of.kind != raw {
			break
		}
		was, _ := live.([]any)
		if of == nil || of.kind == raw || !of.set && len(of.keys) == 0 || len(value)+len(was) == 0 {
			return w.leaf(value, live, hasLive)
		}
		if len(was) > 0 {
			break
		}
		return w.elements(of, value, hasLive)
	case string:
		if of == nil || of.kind == text || of.kind == scalar || of.kind == raw {
			return w.leaf(value, live, hasLive)
		}
	case bool:
		if of == nil || of.kind == boolean || of.kind == scalar || of.kind == raw {
			return w.leaf(value, live, hasLive)
		}
	case int64, float64:
		if of == nil || of.kind == number || of.kind == scalar || of.kind == raw {
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
func (w *ownershipWalk) members(into map[string]any, of *Type, value, live map[string]any) {
	for name, part := range value {
		var typ *Type
		relation := ""
		if of != nil {
			if field := of.fields[name]; field != nil {
				typ, relation = field.Type, field.relation
			} else {
				typ = of.element
			}
		}
		was, hasLive := live[name]
		if entered := w.value(typ, relation, part, was, hasLive); entered != nil {
			into["f:"+name] = entered
		}
	}
}

// elements enters the elements of a list that is a set or has keys.
func (w *ownershipWalk) elements(of *Type, value []any, hasLive bool) map[string]any {
	fields := make(map[string]any, len(value)+1)
	if !hasLive {
		fields["."] = w.ownedWhole
	}
	for _, part := range value {
		name := w.element(of, part)
		if _, twice := fields[name]; twice || name == "" {
			w.simple = false
			return nil
		}
		if entered := w.value(of.element, "", part, nil, false); entered != nil {
			fields[name] = entered
		}
	}
	return fields
}

// element returns the path element that identifies an element of a list, "" if the
// element is not simple.
func (w *ownershipWalk) element(of *Type, value any) string {
	if of.set {
		if !isScalar(value) {
			return ""
		}
		return "v:" + scalarText(value)
	}
	fields, _ := value.(map[string]any)
	parts := make([]string, 0, len(of.keys))
	for _, key := range of.keys {
		value, given := fields[key]
		if typ := of.element.child(key); !given && typ != nil {
			value = typ.defaultValue
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
