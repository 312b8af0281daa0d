package rest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// mergePatch returns the JSON merge patch (RFC 7386) from original to updated, nil
// if they are equal.
//
// It includes the uid, so that it does not apply to a later object of the same
// name. If it replaces a list or removes a map, it includes the resourceVersion as
// well.
func mergePatch(original, updated Object) ([]byte, error) {
	if original.GetName() != updated.GetName() || original.GetNamespace() != updated.GetNamespace() || original.GetUID() != updated.GetUID() {
		return nil, fmt.Errorf("original and updated are different objects: %s/%s %s and %s/%s %s", original.GetNamespace(), original.GetName(), original.GetUID(),
			updated.GetNamespace(), updated.GetName(), updated.GetUID())
	}
	before, err := toMap(original)
	if err != nil {
		return nil, err
	}
	after, err := toMap(updated)
	if err != nil {
		return nil, err
	}
	keepMaps(before, after)
	patch, unsafe := diffMaps(before, after)
	if len(patch) == 0 {
		return nil, nil
	}
	if original.GetUID() != "" {
		setMetadata(patch, "uid", string(original.GetUID()))
	}
	if version := cmp.Or(original.GetResourceVersion(), updated.GetResourceVersion()); unsafe && version != "" {
		setMetadata(patch, "resourceVersion", version)
	}
	return json.Marshal(patch)
}

// toMap returns an object's JSON as maps, without its type and without the fields
// that only the server sets. Numbers keep their text.
func toMap(object Object) (map[string]any, error) {
	var value any = object
	if u, ok := object.(*unstructured.Unstructured); ok {
		value = u.Object
	}
	body, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", object, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil || fields == nil {
		return nil, fmt.Errorf("%T does not encode to a JSON object", object)
	}
	delete(fields, "apiVersion")
	delete(fields, "kind")
	if metadata, ok := fields["metadata"].(map[string]any); ok {
		for _, name := range serverSetMetadata {
			delete(metadata, name)
		}
	}
	return fields, nil
}

// serverSetMetadata are the metadata fields that only the server sets. Two values
// of one object may differ in them because of how they were read.
var serverSetMetadata = []string{
	"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
	"managedFields", "selfLink",
}

// diffMaps returns the patch from before to after. unsafe reports whether it
// replaces a value to which others may have added. A null in after is treated like
// a missing field: in a merge patch null deletes.
func diffMaps(before, after map[string]any) (patch map[string]any, unsafe bool) {
	patch = map[string]any{}
	for name, oldValue := range before {
		if newValue, found := after[name]; !found || newValue == nil {
			if oldValue != nil {
				patch[name] = nil
			}
			unsafe = unsafe || mayHaveUnseen(oldValue)
		}
	}
	for name, newValue := range after {
		oldValue := before[name]
		if newValue == nil || reflect.DeepEqual(oldValue, newValue) {
			continue
		}
		oldMap, newMap := asMaps(oldValue, newValue)
		if oldMap == nil || newMap == nil {
			patch[name] = newValue
			unsafe = unsafe || mayHaveUnseen(oldValue) || containsList(newValue)
			continue
		}
		nested, nestedUnsafe := diffMaps(oldMap, newMap)
		if len(nested) > 0 {
			patch[name] = nested
		}
		unsafe = unsafe || nestedUnsafe
	}
	return patch, unsafe
}

func asMaps(a, b any) (map[string]any, map[string]any) {
	am, _ := a.(map[string]any)
	bm, _ := b.(map[string]any)
	return am, bm
}

// keepMaps sets labels and annotations to empty maps in after if before has them
// and after does not: the removal of a client's last label must not remove those of
// others.
func keepMaps(before, after map[string]any) {
	oldMetadata, newMetadata := asMaps(before["metadata"], after["metadata"])
	for _, name := range []string{"labels", "annotations"} {
		if _, existed := oldMetadata[name].(map[string]any); existed && newMetadata != nil && newMetadata[name] == nil {
			newMetadata[name] = map[string]any{}
		}
	}
}

// mayHaveUnseen reports whether a removed or replaced value may by now have content
// that this client has not seen.
func mayHaveUnseen(value any) bool {
	fields, _ := value.(map[string]any)
	return len(fields) > 0 || containsList(value)
}

// containsList reports whether replacing or removing a value affects a list.
func containsList(value any) bool {
	switch value := value.(type) {
	case []any:
		return true
	case map[string]any:
		for _, inner := range value {
			if containsList(inner) {
				return true
			}
		}
	}
	return false
}

func setMetadata(patch map[string]any, name, value string) {
	metadata, _ := patch["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		patch["metadata"] = metadata
	}
	metadata[name] = value
}
