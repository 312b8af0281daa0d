package apitest

import (
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/registry"
)

var metadataPath = field.NewPath("metadata")

// validateCreate validates the metadata of a new object.
func (c *call) validateCreate(obj *unstructured.Unstructured) error {
	found := c.validateMetadata(obj)
	return c.invalid(obj, found)
}

// validateUpdate validates the metadata of an object's next state. The real
// server validates them twice, by the common rules and by those of the kind,
// which shows in the number of causes.
func (c *call) validateUpdate(next, current *unstructured.Unstructured) error {
	var found field.ErrorList
	if !objects.IsPlain(objects.Metadata(next.Object), c.resource.Namespaced) {
		found = validation.ValidateObjectMetaAccessor(next, c.resource.Namespaced, registry.ValidatePathSegment, metadataPath)
	}
	change := validation.ValidateObjectMetaAccessorUpdate(next, current, metadataPath)
	found = append(found, change...)
	if c.resource.Builtin != nil {
		found = append(found, c.validateMetadata(next)...)
	}
	found = append(found, change...)
	found = append(found, c.validateFinalizers(next)...)
	found = append(found, c.validateNamespaceStatus(next)...)
	found = append(found, validateImmutable(next.Object, current.Object)...)
	return c.invalid(next, found)
}

// validateMetadata validates by the rules of the kind.
func (c *call) validateMetadata(obj *unstructured.Unstructured) field.ErrorList {
	if objects.IsPlain(objects.Metadata(obj.Object), c.resource.Namespaced) {
		return nil
	}
	found := validation.ValidateObjectMetaAccessor(obj, c.resource.Namespaced, c.resource.Strategy.Name, metadataPath)
	return append(found, c.validateFinalizers(obj)...)
}

// validateFinalizers checks that finalizers of built-in kinds are qualified by
// a domain.
func (c *call) validateFinalizers(obj *unstructured.Unstructured) (found field.ErrorList) {
	if c.resource.Builtin == nil {
		return nil
	}
	for i, name := range obj.GetFinalizers() {
		if !strings.Contains(name, "/") && !standardFinalizer(name) {
			found = append(found, field.Invalid(metadataPath.Child("finalizers").Index(i), name, "name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return found
}

// warnOfFinalizers warns about new finalizers of custom resources without a
// domain. were are the finalizers before the write.
func (c *call) warnOfFinalizers(obj *unstructured.Unstructured, were []string) {
	if !c.resource.Custom {
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

// validateNamespaceStatus checks that the phase of a namespace corresponds to
// its deletion timestamp.
func (c *call) validateNamespaceStatus(obj *unstructured.Unstructured) field.ErrorList {
	if c.GroupResource() != registry.Namespaces {
		return nil
	}
	phase, deleting := objects.At(obj.Object, "status.phase"), objects.IsDeleting(objects.Metadata(obj.Object))
	path := field.NewPath("status", "Phase")
	switch {
	case deleting && phase != "Terminating":
		return field.ErrorList{field.Invalid(path, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")}
	case !deleting && phase != "Active":
		return field.ErrorList{field.Invalid(path, phase, "may only be 'Active' if `deletionTimestamp` is empty")}
	}
	return nil
}

// validateImmutable checks that the data of immutable config maps and secrets
// do not change.
func validateImmutable(next, current map[string]any) (found field.ErrorList) {
	if kind := current["kind"]; current["immutable"] != true || kind != "ConfigMap" && kind != "Secret" {
		return nil
	}
	const message = "field is immutable when `immutable` is set"
	if next["immutable"] != true {
		found = append(found, field.Forbidden(field.NewPath("immutable"), message))
	}
	for _, name := range []string{"data", "binaryData"} {
		if !objects.SameContent(next[name], current[name]) {
			found = append(found, field.Forbidden(field.NewPath(name), message))
		}
	}
	return found
}

// maxFieldErrors bounds the reported errors: apimachinery takes quadratic time
// to format them.
const maxFieldErrors = 1000

// invalid returns the error for the findings, nil if there are none.
func (c *call) invalid(obj *unstructured.Unstructured, found field.ErrorList) error {
	if len(found) == 0 {
		return nil
	}
	found = found[:min(len(found), maxFieldErrors)]
	return apierrors.NewInvalid(schema.GroupKind{Group: c.Group, Kind: c.resource.Kind}, obj.GetName(), found)
}

// invalidKind returns the error for a custom resource of another kind.
func invalidKind(content map[string]any, got schema.GroupKind, want string) error {
	metadata, _ := content["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	return apierrors.NewInvalid(got, name, field.ErrorList{
		field.Invalid(field.NewPath("kind"), got.Kind, fmt.Sprintf("must be %s", want))})
}

func standardFinalizer(name string) bool {
	switch name {
	case "kubernetes", metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents:
		return true
	}
	return false
}
