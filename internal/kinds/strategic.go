package kinds

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// StrategicMerge merges patch into original and returns the result. Neither
// argument may be used afterwards. Errors are those of the real server for patches
// that it rejects. Kinds without a TypeOf cannot be merged: the real server answers
// such patches of custom resources with 415.
func StrategicMerge(kind schema.GroupVersionKind, original, patch map[string]any) (merged map[string]any, err error) {
	typ := TypeOf(kind)
	if typ == nil {
		return nil, fmt.Errorf("merge %v: %w", kind, mergepatch.ErrUnsupportedStrategicMergePatchFormat)
	}
	if cost := typ.mergeCost(original, patch); cost > maxMergeCost {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("the time of a strategic merge grows with the square of its lists: these count as one list of %.0f elements, the limit is %.0f", math.Sqrt(float64(cost)), math.Sqrt(maxMergeCost)))
	}
	// The algorithm compares and hashes values of the patch where it expects
	// scalars. It panics on lists and objects.
	defer func() {
		if reason := recover(); reason != nil {
			merged, err = nil, fmt.Errorf("strategic merge into %v: the patch has a value of a wrong type: %v", kind, reason)
		}
	}()
	merged, err = strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta(original, patch, patchedType{typ})
	return merged, patchError(err)
}

// maxMergeCost is the cost of a list of 5,000 elements, which takes about a
// second. The algorithm cannot be interrupted.
const maxMergeCost = 5_000 * 5_000

// mergeCost estimates the number of comparisons of elements in a merge: for each
// merged list, the square of its maximum resulting length.
func (t *Type) mergeCost(original, patch any) (cost int) {
	patchFields, _ := patch.(map[string]any)
	originalFields, _ := original.(map[string]any)
	for name, part := range patchFields {
		if field := t.fields[name]; field != nil {
			cost += field.mergeCostOf(originalFields[name], part)
		} else if t.element != nil {
			cost += t.element.mergeCost(originalFields[name], part)
		}
	}
	return cost
}

func (f *field) mergeCostOf(original, patch any) (cost int) {
	patchElements, isList := patch.([]any)
	if !isList {
		return f.mergeCost(original, patch)
	}
	if !f.merge || f.element == nil {
		return 0
	}
	originalElements, _ := original.([]any)
	longest := len(originalElements) + len(patchElements)
	cost = longest * longest
	for _, part := range patchElements {
		// The element that it will be merged into is not known yet.
		highest := f.element.mergeCost(nil, part)
		if f.mergeKey != "" {
			key, _ := part.(map[string]any)
			for _, element := range originalElements {
				if fields, ok := element.(map[string]any); ok && key != nil && sameKey(fields[f.mergeKey], key[f.mergeKey]) {
					highest = max(highest, f.element.mergeCost(element, part))
				}
			}
		}
		cost += highest
	}
	return cost
}

// sameKey reports whether two keys are equal scalars.
func sameKey(a, b any) bool {
	switch a.(type) {
	case string, int64, float64, bool:
		return a == b
	}
	return false
}

// patchError converts an error about an invalid patch to the server's response.
func patchError(err error) error {
	for _, malformed := range []error{
		mergepatch.ErrBadJSONDoc, mergepatch.ErrBadPatchFormatForPrimitiveList,
		mergepatch.ErrBadPatchFormatForRetainKeys, mergepatch.ErrBadPatchFormatForSetElementOrderList,
	} {
		if errors.Is(err, malformed) {
			return apierrors.NewBadRequest(err.Error())
		}
	}
	if errors.Is(err, mergepatch.ErrNoListOfLists) || errors.Is(err, mergepatch.ErrPatchContentNotMatchRetainKeys) {
		return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
	}
	return err
}

// patchedType implements the algorithm's view of a type.
type patchedType struct{ *Type }

var _ strategicpatch.LookupPatchMeta = patchedType{}

// Name returns the name of the type for messages.
func (t patchedType) Name() string {
	switch t.kind {
	case list:
		return "slice"
	case object:
		if t.fields == nil {
			return "map"
		}
	}
	return "struct"
}

// LookupPatchMetadataForStruct is called for a field that is an object, or
// whose own fields are.
func (t patchedType) LookupPatchMetadataForStruct(name string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	field, meta, err := t.lookup(name)
	return patchedType{field}, meta, err
}

// LookupPatchMetadataForSlice is called for a field that is a list.
func (t patchedType) LookupPatchMetadataForSlice(name string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	field, meta, err := t.lookup(name)
	if err != nil {
		return nil, meta, err
	}
	if field.kind == list {
		return patchedType{field.element}, meta, nil
	}
	if field.kind == anything {
		return patchedType{field}, meta, nil
	}
	return nil, meta, fmt.Errorf("expected slice or array type, but got: %s", t.Name())
}

func (t patchedType) lookup(name string) (*Type, strategicpatch.PatchMeta, error) {
	var meta strategicpatch.PatchMeta
	switch {
	case t.kind == anything:
		return t.Type, meta, nil
	case t.kind == object && t.fields == nil:
		return nil, meta, fmt.Errorf("merging an object in json but data type is not struct, instead is: %s", t.Name())
	}
	field := t.fields[name]
	if field == nil {
		_, short, _ := strings.Cut(t.name, ".")
		return nil, meta, fmt.Errorf("unable to find api field in struct %s for the json field %q", short, name)
	}
	var strategies []string
	if field.merge {
		strategies = append(strategies, "merge")
		meta.SetPatchMergeKey(field.mergeKey)
	}
	if field.replace {
		strategies = append(strategies, "replace")
	}
	if field.retainKeys {
		strategies = append(strategies, "retainKeys")
	}
	meta.SetPatchStrategies(strategies)
	return field.Type, meta, nil
}
