package apitest

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/thinformer/thinformer/internal/kinds"
)

// apply merges the fields that a manager wants into the object, or makes it of
// them.
func (p *patching) apply(current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	applied, err := p.readApplied()
	if err != nil {
		return nil, err
	}
	return p.applyObject(applied, current)
}

// readApplied reads the fields, which may be in YAML or JSON.
func (p *patching) readApplied() (*unstructured.Unstructured, error) {
	applied := &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal(p.text, &applied.Object); err != nil {
		return nil, apierrors.NewBadRequest("error decoding YAML: " + err.Error())
	}
	return applied, nil
}

func (p *patching) applyObject(applied, current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	merged, err := p.resource.managers().apply(p.subresource, p.manager, p.force, applied, current)
	if known := apierrors.APIStatus(nil); err != nil && !errors.As(err, &known) {
		err = plainError(err.Error())
	}
	if err != nil {
		return nil, err
	}
	if err := p.checkTwice(); err != nil {
		return nil, err
	}
	if _, err := p.tidy(merged.Object); err != nil {
		return nil, p.unconvertible(applied, err)
	}
	return merged, nil
}

// unconvertible is the answer to an object that was merged and is none of its
// kind.
func (p *patching) unconvertible(applied *unstructured.Unstructured, err error) error {
	if p.resource.builtin == nil {
		return plainError(err.Error())
	}
	kind := p.resource.GroupVersion().WithKind(p.resource.Kind)
	return plainError(fmt.Sprintf("failed to convert new object (%s/%s; %s) to proper version: unable to convert unstructured object to %s: %v",
		applied.GetNamespace(), applied.GetName(), kind, kind, err))
}

// applyScale merges a scale into the object that it is of. Fields of scales are
// managed where they are in the object.
func (p *patching) applyScale(current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	scale, err := p.readApplied()
	if err != nil {
		return nil, err
	}
	if kind := scale.GroupVersionKind(); kind != scaleKind {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("invalid object type: %v", kind))
	}
	if p.resource.custom {
		// So it is: the real server cannot, and says so.
		return nil, plainError("failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1")
	}
	if scale.GetManagedFields() != nil {
		return nil, apierrors.NewBadRequest("metadata.managedFields must be nil")
	}
	if _, err := kinds.ConverterOf(scaleKind).ObjectToTyped(scale); err != nil {
		return nil, plainError(fmt.Sprintf("failed to create typed patch object (%s/%s; %s): %v", scale.GetNamespace(), scale.GetName(), scaleKind, err))
	}
	if err := p.placeInNamespace(scale); err != nil {
		return nil, err
	}
	if scale.GetName() == "" {
		scale.SetName(p.name)
	}
	if err := p.checkName(scale); err != nil {
		return nil, err
	}
	wanted := &unstructured.Unstructured{Object: map[string]any{}}
	wanted.SetGroupVersionKind(p.resource.GroupVersion().WithKind(p.resource.Kind))
	for _, name := range []string{"name", "uid", "resourceVersion"} {
		keep(metadataOf(wanted.Object), metadataOf(scale.Object), name)
	}
	if replicas := at(scale.Object, "spec.replicas"); replicas != nil {
		if _, err := p.rescaled(current, scale.Object); err != nil {
			return nil, err
		}
		setAt(wanted.Object, replicas, pathOf(p.resource.Scale.SpecReplicas)...)
	}
	next, err := p.applyObject(wanted, current)
	if err != nil {
		return nil, p.inScale(err)
	}
	entries, _ := at(next.Object, "metadata.managedFields").([]any)
	for _, entry := range entries {
		if of, _ := entry.(map[string]any); of["manager"] == p.manager && of["operation"] == "Apply" && of["subresource"] == "scale" {
			delete(of, "time") // the real server does not know when it was
		}
	}
	return next, nil
}

// inScale is a conflict as it looks from the scale.
func (p *patching) inScale(err error) error {
	var known *apierrors.StatusError
	if !errors.As(err, &known) || known.ErrStatus.Details == nil {
		return err
	}
	from, to := " using "+p.resource.GroupVersion().String(), " using "+scaleKind.GroupVersion().String()
	known.ErrStatus.Message = strings.ReplaceAll(known.ErrStatus.Message, from, to)
	for i := range known.ErrStatus.Details.Causes {
		cause := &known.ErrStatus.Details.Causes[i]
		cause.Message = strings.ReplaceAll(cause.Message, from, to)
	}
	return err
}

// checkTwice is what fieldValidation is about in an apply: fields that are there
// twice. Those that are not known are no matter of it, but refused.
func (p *patching) checkTwice() error {
	if p.validation == metav1.FieldValidationIgnore {
		return nil
	}
	err := yaml.UnmarshalStrict(p.text, &map[string]any{})
	switch {
	case err == nil:
	case p.validation == metav1.FieldValidationStrict:
		return apierrors.NewBadRequest(fmt.Sprintf("error strict decoding YAML: %v", err))
	default:
		p.warnOf([]error{err})
	}
	return nil
}
