package rest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// mergePatch is the JSON merge patch (RFC 7386) that makes new of old, nil if
// they are equal.
//
// It carries the uid, so that it cannot hit a later object of the same name,
// and, if it replaces a list or removes a map, the version that it was read at.
func mergePatch(old, new Object) ([]byte, error) {
	if old.GetName() != new.GetName() || old.GetNamespace() != new.GetNamespace() || old.GetUID() != new.GetUID() {
		return nil, fmt.Errorf("old and new are two objects: %s/%s %s and %s/%s %s", old.GetNamespace(), old.GetName(), old.GetUID(),
			new.GetNamespace(), new.GetName(), new.GetUID())
	}
	before, err := tree(old)
	if err != nil {
		return nil, err
	}
	after, err := tree(new)
	if err != nil {
		return nil, err
	}
	keepMaps(before, after)
	patch, whole := difference(before, after)
	if len(patch) == 0 {
		return nil, nil
	}
	if old.GetUID() != "" {
		setMetadata(patch, "uid", string(old.GetUID()))
	}
	if version := cmp.Or(old.GetResourceVersion(), new.GetResourceVersion()); whole && version != "" {
		setMetadata(patch, "resourceVersion", version)
	}
	return json.Marshal(patch)
}

// tree is what an object says, as maps: its JSON without its type and without
// what is not the client's to say. Numbers stay as they are written.
func tree(object Object) (map[string]any, error) {
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
		for _, name := range serversOwn {
			delete(metadata, name)
		}
	}
	return fields, nil
}

// serversOwn is the metadata that no client writes. Two values of one object may
// differ in it for how they were read, and mean nothing by it.
var serversOwn = []string{
	"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
	"managedFields", "selfLink",
}

// difference is what must be said to make after of before, and whether that
// replaces as a whole what others may have added to. A null in after cannot be
// told from a field that is gone: in a merge patch null means gone.
func difference(before, after map[string]any) (patch map[string]any, whole bool) {
	patch = map[string]any{}
	for name, was := range before {
		if is, there := after[name]; !there || is == nil {
			if was != nil {
				patch[name] = nil
			}
			whole = whole || holdsMore(was)
		}
	}
	for name, is := range after {
		was := before[name]
		if is == nil || reflect.DeepEqual(was, is) {
			continue
		}
		wasMap, isMap := asMaps(was, is)
		if wasMap == nil || isMap == nil {
			patch[name] = is
			whole = whole || holdsMore(was) || holdsList(is)
			continue
		}
		inner, innerLists := difference(wasMap, isMap)
		if len(inner) > 0 {
			patch[name] = inner
		}
		whole = whole || innerLists
	}
	return patch, whole
}

func asMaps(a, b any) (map[string]any, map[string]any) {
	am, _ := a.(map[string]any)
	bm, _ := b.(map[string]any)
	return am, bm
}

// keepMaps gives after empty labels and annotations where it has none and before
// has: the last of one's own that is removed must not take along those that
// others have added.
func keepMaps(before, after map[string]any) {
	was, is := asMaps(before["metadata"], after["metadata"])
	for _, name := range []string{"labels", "annotations"} {
		if _, had := was[name].(map[string]any); had && is != nil && is[name] == nil {
			is[name] = map[string]any{}
		}
	}
}

// holdsMore says whether a value that is removed or replaced as a whole may hold
// by now what nobody here has seen.
func holdsMore(value any) bool {
	fields, _ := value.(map[string]any)
	return len(fields) > 0 || holdsList(value)
}

// holdsList says whether replacing or removing a value loses a list.
func holdsList(value any) bool {
	switch value := value.(type) {
	case []any:
		return true
	case map[string]any:
		for _, inner := range value {
			if holdsList(inner) {
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
