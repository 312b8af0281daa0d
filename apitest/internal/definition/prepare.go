package definition

import (
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Prepare completes a definition before it is stored, and validates
// it. current is nil for a new one.
func Prepare(next, current *unstructured.Unstructured, subresource string) (field.ErrorList, error) {
	var old *Definition
	if current != nil {
		var err error
		if old, err = Read(current); err != nil {
			return nil, err
		}
	}
	if subresource == "status" {
		d, err := Read(next)
		if err != nil {
			return nil, err
		}
		return d.Status.AcceptedNames.validate(field.NewPath("status", "acceptedNames")), nil
	}
	SetDefaults(next.Object)
	if old != nil {
		next.Object["status"] = current.DeepCopy().Object["status"]
	} else {
		delete(next.Object, "status")
	}
	d, err := Read(next)
	if err != nil {
		return nil, err
	}
	if storage := d.storageVersion(); storage != "" && !slices.Contains(d.Status.StoredVersions, storage) {
		d.Status.StoredVersions = append(d.Status.StoredVersions, storage)
	}
	if err := d.WriteStatus(next); err != nil {
		return nil, err
	}
	return d.validate(old), nil
}

// SetDefaults sets the defaults.
func SetDefaults(content map[string]any) {
	spec, ok := content["spec"].(map[string]any)
	if !ok {
		return
	}
	if names, ok := spec["names"].(map[string]any); ok {
		kind, _ := names["kind"].(string)
		if given, _ := names["singular"].(string); given == "" && kind != "" {
			names["singular"] = strings.ToLower(kind)
		}
		if given, _ := names["listKind"].(string); given == "" && kind != "" {
			names["listKind"] = kind + "List"
		}
	}
	if spec["conversion"] == nil {
		spec["conversion"] = map[string]any{"strategy": "None"}
	}
	versions, _ := spec["versions"].([]any)
	for _, each := range versions {
		version, ok := each.(map[string]any)
		if !ok {
			continue
		}
		for _, name := range []string{"served", "storage"} {
			if version[name] == nil {
				version[name] = false
			}
		}
	}
}

// MarkDeleted marks a definition as being deleted: it is removed after its
// objects. It reports false if the definition is already marked.
func MarkDeleted(obj *unstructured.Unstructured) (bool, error) {
	if obj.GetDeletionTimestamp() != nil {
		return false, nil
	}
	d, err := Read(obj)
	if err != nil {
		return false, err
	}
	now := metav1.Now()
	obj.SetDeletionTimestamp(&now)
	if finalizers := obj.GetFinalizers(); !slices.Contains(finalizers, CleanupFinalizer) {
		obj.SetFinalizers(append(finalizers, CleanupFinalizer))
	}
	d.SetCondition(Condition{Type: "Terminating", Status: "True", Reason: "InstanceDeletionPending",
		Message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"})
	return true, d.WriteStatus(obj)
}

// Copy returns a definition whose status can be changed.
func (d *Definition) Copy() *Definition {
	next := *d
	next.Status.Conditions = slices.Clone(d.Status.Conditions)
	return &next
}

// ServesLike reports whether watches can continue when other becomes the
// definition.
func (d *Definition) ServesLike(other *Definition) bool {
	return d.Metadata.UID == other.Metadata.UID && d.serves() == other.serves() &&
		reflect.DeepEqual(d.Spec, other.Spec) && d.Status.AcceptedNames.equal(other.Status.AcceptedNames)
}
