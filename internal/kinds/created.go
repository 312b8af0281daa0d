package kinds

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Created are the fields that somebody manages who has created an object, in
// the form of managedFields' FieldsV1: what the field manager enters for a new
// object that says nothing of managers, found in one walk. Subtrees in resets,
// paths with dots, are left out. ok is false for an object that is not so
// simple, such as one with nulls: ask the field manager then.
func (c *Converter) Created(object, empty map[string]any, resets []string) (fields map[string]any, ok bool) {
	w := creation{simple: true, whole: map[string]any{}}
	fields = map[string]any{}
	w.members(fields, c.kind, object, empty)
	metadata, _ := fields["f:metadata"].(map[string]any)
	for _, name := range identity {
		delete(metadata, name)
	}
	if len(metadata) == 0 {
		delete(fields, "f:metadata")
	}
	delete(fields, "f:apiVersion")
	delete(fields, "f:kind")
	for _, path := range resets {
		forget(fields, path)
	}
	return fields, w.simple
}

// identity are the members of the metadata that nobody manages.
var identity = []string{
	".", "f:name", "f:namespace", "f:creationTimestamp", "f:selfLink", "f:uid", "f:clusterName", "f:generation", "f:managedFields", "f:resourceVersion",
}

// forget removes a path, and what is empty without it.
func forget(fields map[string]any, path string) {
	name, rest, more := strings.Cut(path, ".")
	below, ok := fields["f:"+name].(map[string]any)
	if !ok {
		return
	}
	if more {
		forget(below, rest)
	}
	if !more || len(below) == 0 {
		delete(fields, "f:"+name)
	}
}

// creation is one walk.
type creation struct {
	simple bool // until something is met that is not
	// whole is how a value is entered that is managed as one. It stays empty.
	whole map[string]any
}

// value enters the value at a path, of which live is the part of the empty
// object, if any; fields are the path's own. nil is nothing to enter. A nil
// type is one of which nothing is known.
func (w *creation) value(of *Type, relation string, value, live any, lives bool) map[string]any {
	if of != nil && of.sort == anything {
		of = nil
	}
	if lives && (of == nil || of.sort == raw) {
		w.simple = false
		return nil
	}
	switch value := value.(type) {
	case map[string]any:
		if of != nil && of.sort != object && of.sort != raw {
			break
		}
		atomic := of != nil && (of.sort == raw || of.atomic && relation != "granular" || relation == "atomic")
		if was, _ := live.(map[string]any); !atomic && len(value)+len(was) > 0 {
			fields := make(map[string]any, len(value)+1)
			if !lives {
				fields["."] = w.whole
			}
			w.members(fields, of, value, was)
			if len(fields) == 0 {
				return nil
			}
			return fields
		}
		return w.leaf(value, live, lives)
	case []any:
		if of != nil && of.sort != list && of.sort != raw {
			break
		}
		was, _ := live.([]any)
		if of == nil || of.sort == raw || !of.set && len(of.keys) == 0 || len(value)+len(was) == 0 {
			return w.leaf(value, live, lives)
		}
		if len(was) > 0 {
			break
		}
		return w.elements(of, value, lives)
	case string:
		if of == nil || of.sort == text || of.sort == scalar || of.sort == raw {
			return w.leaf(value, live, lives)
		}
	case bool:
		if of == nil || of.sort == boolean || of.sort == scalar || of.sort == raw {
			return w.leaf(value, live, lives)
		}
	case int64, float64:
		if of == nil || of.sort == number || of.sort == scalar || of.sort == raw {
			return w.leaf(value, live, lives)
		}
	}
	w.simple = false
	return nil
}

func (w *creation) leaf(value, live any, lives bool) map[string]any {
	if lives && reflect.DeepEqual(value, live) {
		return nil
	}
	return w.whole
}

// members enters the fields of an object.
func (w *creation) members(into map[string]any, of *Type, value, live map[string]any) {
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
		was, lives := live[name]
		if entered := w.value(typ, relation, part, was, lives); entered != nil {
			into["f:"+name] = entered
		}
	}
}

// elements enters the elements of a list that is a set or has keys.
func (w *creation) elements(of *Type, value []any, lives bool) map[string]any {
	fields := make(map[string]any, len(value)+1)
	if !lives {
		fields["."] = w.whole
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

// element is what an element is known by, "" if it is not simple.
func (w *creation) element(of *Type, value any) string {
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
		if typ := of.element.at(key); !given && typ != nil {
			value = typ.fallback
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

// scalarText is a scalar in JSON.
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

// isPlain is whether a text is its own JSON but for the quotes.
func isPlain(value string) bool {
	for i := range len(value) {
		switch c := value[i]; {
		case c < ' ' || c >= 0x7f, c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}
