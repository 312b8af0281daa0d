package kinds

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// StrategicMerge is original with patch merged into it, and neither may be used
// any more. Errors are the real server's for patches that it refuses. A kind that
// has no TypeOf cannot be merged so: the real server answers such patches of
// custom resources with 415.
func StrategicMerge(kind schema.GroupVersionKind, original, patch map[string]any) (merged map[string]any, err error) {
	typ := TypeOf(kind)
	if typ == nil {
		return nil, fmt.Errorf("merge %v: %w", kind, mergepatch.ErrUnsupportedStrategicMergePatchFormat)
	}
	// The algorithm compares and hashes whatever stands in a patch where it
	// expects a scalar, which cannot be done with lists and objects.
	defer func() {
		if reason := recover(); reason != nil {
			merged, err = nil, fmt.Errorf("merge into %v: the patch has a value where none of its type can be: %v", kind, reason)
		}
	}()
	merged, err = strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta(original, patch, patchedType{typ})
	return merged, refusal(err)
}

// refusal is the answer for what is wrong with a patch.
func refusal(err error) error {
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

// patchedType answers the algorithm's questions about a type.
type patchedType struct{ *Type }

var _ strategicpatch.LookupPatchMeta = patchedType{}

// Name of the type, for messages.
func (t patchedType) Name() string {
	switch t.sort {
	case list:
		return "slice"
	case object:
		if t.fields == nil {
			return "map"
		}
	}
	return "struct"
}

// LookupPatchMetadataForStruct is asked about a field that is an object, or
// whose own fields are.
func (t patchedType) LookupPatchMetadataForStruct(name string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	field, meta, err := t.lookup(name)
	return patchedType{field}, meta, err
}

// LookupPatchMetadataForSlice is asked about a field that is a list.
func (t patchedType) LookupPatchMetadataForSlice(name string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	field, meta, err := t.lookup(name)
	if err != nil {
		return nil, meta, err
	}
	if field.sort == list {
		return patchedType{field.element}, meta, nil
	}
	if field.sort == anything {
		return patchedType{field}, meta, nil
	}
	return nil, meta, fmt.Errorf("expected slice or array type, but got: %s", t.Name())
}

func (t patchedType) lookup(name string) (*Type, strategicpatch.PatchMeta, error) {
	var meta strategicpatch.PatchMeta
	switch {
	case t.sort == anything:
		return t.Type, meta, nil
	case t.sort == object && t.fields == nil:
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
	if field.retain {
		strategies = append(strategies, "retainKeys")
	}
	meta.SetPatchStrategies(strategies)
	return field.Type, meta, nil
}
