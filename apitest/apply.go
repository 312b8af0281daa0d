package apitest

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// apply merges the fields that a manager wants into the object, or makes it of
// them.
func (p *patching) apply(current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	applied := &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal(p.text, &applied.Object); err != nil {
		return nil, apierrors.NewBadRequest("error decoding YAML: " + err.Error())
	}
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
		return nil, plainError(err.Error())
	}
	return merged, nil
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
