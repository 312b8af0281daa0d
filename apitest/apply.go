package apitest

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/requestbody"
	"github.com/thinformer/thinformer/apitest/internal/response"
	"github.com/thinformer/thinformer/internal/kinds"
)

// apply merges the applied fields into the object, or creates the object from
// them.
func (p *patching) apply(current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	applied, err := p.readApplied()
	if err != nil {
		return nil, err
	}
	return p.applyObject(applied, current)
}

// readApplied reads the applied fields, in YAML or JSON.
func (p *patching) readApplied() (*unstructured.Unstructured, error) {
	applied := &unstructured.Unstructured{Object: map[string]any{}}
	if err := requestbody.RejectAliases(p.text); err != nil {
		return nil, apierrors.NewBadRequest("error decoding YAML: " + err.Error())
	}
	if err := yaml.Unmarshal(p.text, &applied.Object); err != nil {
		if _, unreadable := yaml.ToJSON(p.text); unreadable != nil {
			return nil, apierrors.NewBadRequest("error encoding patch: " + unreadable.Error())
		}
		return nil, apierrors.NewBadRequest("error decoding patch: " + err.Error())
	}
	return applied, nil
}

func (p *patching) applyObject(applied, current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	merged, err := p.resource.FieldManagers().Apply(p.call, p.Subresource, p.Manager, p.force, applied, current)
	if known := apierrors.APIStatus(nil); err != nil && !errors.As(err, &known) {
		err = response.PlainError(err.Error())
	}
	if err != nil {
		return nil, err
	}
	if err := p.checkDuplicates(); err != nil {
		return nil, err
	}
	if _, err := p.normalize(merged.Object); err != nil {
		return nil, p.unconvertible(applied, err)
	}
	return merged, nil
}

// unconvertible returns the error for a merged object that does not fit its
// kind.
func (p *patching) unconvertible(applied *unstructured.Unstructured, err error) error {
	if p.resource.Builtin == nil {
		return response.PlainError(err.Error())
	}
	kind := p.resource.GroupVersion().WithKind(p.resource.Kind)
	return response.PlainError(fmt.Sprintf("failed to convert new object (%s/%s; %s) to proper version: unable to convert unstructured object to %s: %v",
		applied.GetNamespace(), applied.GetName(), kind, kind, err))
}

// applyScale applies a scale to its object. The fields of a scale are managed
// in the object.
func (p *patching) applyScale(current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	scale, err := p.readApplied()
	if err != nil {
		return nil, err
	}
	if kind := scale.GroupVersionKind(); kind != registry.ScaleKind {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("invalid object type: %v", kind))
	}
	if p.resource.Custom {
		// The real server fails in this case, with this message.
		return nil, response.PlainError("failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1")
	}
	if scale.GetManagedFields() != nil {
		return nil, apierrors.NewBadRequest("metadata.managedFields must be nil")
	}
	if _, err := kinds.ConverterOf(registry.ScaleKind).ObjectToTyped(scale); err != nil {
		return nil, response.PlainError(fmt.Sprintf("failed to create typed patch object (%s/%s; %s): %v", scale.GetNamespace(), scale.GetName(), registry.ScaleKind, err))
	}
	if err := p.placeInNamespace(scale); err != nil {
		return nil, err
	}
	if scale.GetName() == "" {
		scale.SetName(p.Name)
	}
	if err := p.checkName(scale); err != nil {
		return nil, err
	}
	wanted := &unstructured.Unstructured{Object: map[string]any{}}
	wanted.SetGroupVersionKind(p.resource.GroupVersion().WithKind(p.resource.Kind))
	for _, name := range []string{"name", "uid", "resourceVersion"} {
		objects.Copy(objects.Metadata(wanted.Object), objects.Metadata(scale.Object), name)
	}
	if replicas := objects.At(scale.Object, "spec.replicas"); replicas != nil {
		if _, err := p.rescaled(current, scale.Object); err != nil {
			return nil, err
		}
		objects.SetAt(wanted.Object, replicas, registry.PathOf(p.resource.Scale.SpecReplicas)...)
	}
	next, err := p.applyObject(wanted, current)
	if err != nil {
		return nil, p.conflictInScale(err)
	}
	entries, _ := objects.At(next.Object, "metadata.managedFields").([]any)
	for _, entry := range entries {
		if fields, _ := entry.(map[string]any); fields["manager"] == p.Manager && fields["operation"] == "Apply" && fields["subresource"] == "scale" {
			delete(fields, "time") // the real server sets no time here
		}
	}
	return next, nil
}

// conflictInScale converts a conflict to the names of fields in the scale.
func (p *patching) conflictInScale(err error) error {
	var known *apierrors.StatusError
	if !errors.As(err, &known) || known.ErrStatus.Details == nil {
		return err
	}
	from, to := " using "+p.resource.GroupVersion().String(), " using "+registry.ScaleKind.GroupVersion().String()
	known.ErrStatus.Message = strings.ReplaceAll(known.ErrStatus.Message, from, to)
	for i := range known.ErrStatus.Details.Causes {
		cause := &known.ErrStatus.Details.Causes[i]
		cause.Message = strings.ReplaceAll(cause.Message, from, to)
	}
	return err
}

// checkDuplicates validates the fields of an apply. Only duplicates are subject
// to fieldValidation; unknown fields are always rejected.
func (p *patching) checkDuplicates() error {
	if p.Validation == metav1.FieldValidationIgnore {
		return nil
	}
	err := yaml.UnmarshalStrict(p.text, &map[string]any{})
	switch {
	case err == nil:
	case p.Validation == metav1.FieldValidationStrict:
		return apierrors.NewBadRequest(fmt.Sprintf("error strict decoding patch: %v", err))
	default:
		p.warnOf([]error{err})
	}
	return nil
}
