package apitest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var metadataPath = field.NewPath("metadata")

// validateCreate checks the metadata of a new object.
func (c *call) validateCreate(obj *unstructured.Unstructured) error {
	found := c.validateMetadata(obj)
	return c.invalid(obj, found)
}

// validateUpdate checks the metadata of an object's next state. The real server
// checks them twice, for all kinds and then for the one, and counts the causes
// so.
func (c *call) validateUpdate(next, current *unstructured.Unstructured) error {
	var found field.ErrorList
	if !isPlain(metadataOf(next.Object), c.resource.Namespaced) {
		found = validation.ValidateObjectMetaAccessor(next, c.resource.Namespaced, validatePathSegment, metadataPath)
	}
	change := validation.ValidateObjectMetaAccessorUpdate(next, current, metadataPath)
	found = append(found, change...)
	if c.resource.builtin != nil {
		found = append(found, c.validateMetadata(next)...)
	}
	found = append(found, change...)
	found = append(found, c.validateFinalizers(next)...)
	found = append(found, c.validateNamespaceStatus(next)...)
	found = append(found, frozen(next.Object, current.Object)...)
	return c.invalid(next, found)
}

// validateMetadata by the rules of the kind.
func (c *call) validateMetadata(obj *unstructured.Unstructured) field.ErrorList {
	if isPlain(metadataOf(obj.Object), c.resource.Namespaced) {
		return nil
	}
	found := validation.ValidateObjectMetaAccessor(obj, c.resource.Namespaced, c.resource.strategy.name, metadataPath)
	return append(found, c.validateFinalizers(obj)...)
}

// validateFinalizers: those of built-in kinds belong to somebody with a domain.
func (c *call) validateFinalizers(obj *unstructured.Unstructured) (found field.ErrorList) {
	if c.resource.builtin == nil {
		return nil
	}
	for i, name := range obj.GetFinalizers() {
		if !strings.Contains(name, "/") && !standardFinalizer(name) {
			found = append(found, field.Invalid(metadataPath.Child("finalizers").Index(i), name, "name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return found
}

// warnOfFinalizers: in those of custom resources a domain is only asked for.
// were are those that the object had already.
func (c *call) warnOfFinalizers(obj *unstructured.Unstructured, were []string) {
	if !c.resource.custom {
		return
	}
	added := slices.DeleteFunc(obj.GetFinalizers(), func(name string) bool { return slices.Contains(were, name) })
	slices.Sort(added)
	for _, name := range slices.Compact(added) {
		about := fmt.Sprintf("metadata.finalizers: %q: ", name)
		for _, wrong := range content.IsLabelKey(name) {
			c.warn(about + wrong)
		}
		path := ""
		switch {
		case strings.Contains(name, "/") || standardFinalizer(name):
			continue
		case strings.Contains(name, "."):
			path = "including a path (/) "
		}
		c.warn(about + "prefer a domain-qualified finalizer name " + path + "to avoid accidental conflicts with other finalizer writers")
	}
}

func standardFinalizer(name string) bool {
	switch name {
	case "kubernetes", metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents:
		return true
	}
	return false
}

// validateNamespaceStatus: a namespace ends when it is deleted, and not by its
// status alone.
func (c *call) validateNamespaceStatus(obj *unstructured.Unstructured) field.ErrorList {
	if c.GroupResource() != namespaces {
		return nil
	}
	phase, deleting := at(obj.Object, "status.phase"), isDeleting(metadataOf(obj.Object))
	path := field.NewPath("status", "Phase")
	switch {
	case deleting && phase != "Terminating":
		return field.ErrorList{field.Invalid(path, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")}
	case !deleting && phase != "Active":
		return field.ErrorList{field.Invalid(path, phase, "may only be 'Active' if `deletionTimestamp` is empty")}
	}
	return nil
}

// frozen: config maps and secrets can say that their data stay.
func frozen(next, current map[string]any) (found field.ErrorList) {
	if kind := current["kind"]; current["immutable"] != true || kind != "ConfigMap" && kind != "Secret" {
		return nil
	}
	const message = "field is immutable when `immutable` is set"
	if next["immutable"] != true {
		found = append(found, field.Forbidden(field.NewPath("immutable"), message))
	}
	for _, name := range []string{"data", "binaryData"} {
		if !sameContent(next[name], current[name]) {
			found = append(found, field.Forbidden(field.NewPath(name), message))
		}
	}
	return found
}

// mostFaults is how many are told: apimachinery takes a time that grows with the
// square of their number to tell them.
const mostFaults = 1000

// invalid is the answer to an object in which something was found, nil if
// nothing was.
func (c *call) invalid(obj *unstructured.Unstructured, found field.ErrorList) error {
	if len(found) == 0 {
		return nil
	}
	found = found[:min(len(found), mostFaults)]
	return apierrors.NewInvalid(schema.GroupKind{Group: c.Group, Kind: c.resource.Kind}, obj.GetName(), found)
}

// invalidKind is the answer to a custom resource of another kind.
func invalidKind(content map[string]any, got schema.GroupKind, want string) error {
	metadata, _ := content["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	return apierrors.NewInvalid(got, name, field.ErrorList{
		field.Invalid(field.NewPath("kind"), got.Kind, fmt.Sprintf("must be %s", want))})
}

// sameContent compares two values; nothing and empty are the same.
func sameContent(a, b any) bool {
	if isEmpty(a) && isEmpty(b) {
		return true
	}
	return reflect.DeepEqual(a, b)
}

func isEmpty(value any) bool {
	content, ok := value.(map[string]any)
	return value == nil || ok && len(content) == 0
}
