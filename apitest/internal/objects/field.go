package objects

import (
	"encoding/json"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// At returns the value at a path such as spec.replicas, nil if there is none.
func At(object map[string]any, path string) any {
	var value any = object
	for name := range strings.SplitSeq(path, ".") {
		fields, _ := value.(map[string]any)
		value = fields[name]
	}
	return value
}

// SetAt sets the value at a path and creates the objects on the way; nil
// removes it.
func SetAt(object map[string]any, value any, path ...string) {
	last := len(path) - 1
	for _, name := range path[:last] {
		next, ok := object[name].(map[string]any)
		if !ok {
			if value == nil {
				return
			}
			next = map[string]any{}
			object[name] = next
		}
		object = next
	}
	if value == nil {
		delete(object, path[last])
		return
	}
	object[path[last]] = value
}

// Copy copies a field from current, or deletes it if current does not have it.
func Copy(next, current map[string]any, name string) {
	if value, ok := current[name]; ok {
		next[name] = value
	} else {
		delete(next, name)
	}
}

// CopyAt copies the value at a path from current.
func CopyAt(next, current map[string]any, path string) {
	SetAt(next, At(current, path), strings.Split(path, ".")...)
}

// CopyAllExcept copies everything from current, except the values at some paths and
// the managed fields.
func CopyAllExcept(next, current map[string]any, paths []string) {
	written := map[string]any{}
	for _, path := range append(paths, "metadata.managedFields") {
		written[path] = At(next, path)
	}
	for name := range next {
		if _, still := current[name]; !still {
			delete(next, name)
		}
	}
	for name, value := range current {
		next[name] = value
	}
	// Copy the objects that are changed below, since they belong to current.
	for _, path := range append(paths, "metadata.managedFields") {
		unshare(next, path)
		SetAt(next, written[path], strings.Split(path, ".")...)
	}
}

// unshare copies the objects on the way to a path.
func unshare(object map[string]any, path string) {
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		fields, ok := object[name].(map[string]any)
		if !ok {
			return
		}
		copied := make(map[string]any, len(fields)+1)
		for name, value := range fields {
			copied[name] = value
		}
		object[name], object = copied, copied
	}
}

// StringsAt returns the list of strings at a path.
func StringsAt(object map[string]any, path ...string) (texts []string) {
	list, _ := At(object, strings.Join(path, ".")).([]any)
	for _, item := range list {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// StringList converts a list to its form in objects, nil for an empty one.
func StringList(texts []string) any {
	if len(texts) == 0 {
		return nil
	}
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}

// Metadata returns the metadata of an object, and creates them if necessary.
func Metadata(object map[string]any) map[string]any {
	metadata, ok := object["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		object["metadata"] = metadata
	}
	return metadata
}

// DecodeInto decodes content as a Go type.
func DecodeInto(content map[string]any, typed any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	return utiljson.Unmarshal(text, typed)
}

// IsDeleting reports whether the deletion has begun.
func IsDeleting(metadata map[string]any) bool { return metadata["deletionTimestamp"] != nil }

// Now returns the current time in the format of metadata.
func Now() string { return metav1.Now().UTC().Format("2006-01-02T15:04:05Z") }

// EqualExcept reports whether two objects are equal except for one field.
func EqualExcept(except string, a, b map[string]any) bool {
	for name, value := range a {
		if other, ok := b[name]; name != except && (!ok || !reflect.DeepEqual(value, other)) {
			return false
		}
	}
	for name := range b {
		if _, ok := a[name]; name != except && !ok {
			return false
		}
	}
	return true
}

// SameContent compares two values. Missing and empty values are equal.
func SameContent(a, b any) bool {
	if isEmpty(a) && isEmpty(b) {
		return true
	}
	return reflect.DeepEqual(a, b)
}

func isEmpty(value any) bool {
	content, ok := value.(map[string]any)
	return value == nil || ok && len(content) == 0
}
