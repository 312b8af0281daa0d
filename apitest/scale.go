package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/thinformer/thinformer/internal/kinds"
	"github.com/thinformer/thinformer/rest"
)

var scaleKind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}

// scaleBodies is what a body is read as that is a scale.
var scaleBodies = &resource{
	Resource: Resource{ResourceInfo: rest.ResourceInfo{
		GroupVersionResource: scaleKind.GroupVersion().WithResource("scales"), Kind: scaleKind.Kind, Namespaced: true,
	}},
	builtin: new(kinds.Resource),
}

// getScale answers with the scale of an object.
func (c *call) getScale() error {
	found, err := c.found()
	if err != nil {
		return err
	}
	return c.answerScale(found)
}

func (c *call) answerScale(rec *record) error {
	obj, err := c.decode(rec)
	if err != nil {
		return err
	}
	scale, err := c.resource.scaleOf(obj)
	if err != nil {
		return err
	}
	text, err := json.Marshal(scale)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, text)
}

// updateScale answers a PUT of a scale.
func (c *call) updateScale() error {
	options, err := c.updateOptions()
	if err != nil {
		return err
	}
	scale, err := c.reading(scaleBodies).readObject(options)
	if err != nil {
		return err
	}
	if err := c.placeInNamespace(scale); err != nil {
		return err
	}
	if err := c.checkName(scale); err != nil {
		return err
	}
	rec, err := c.mutateScale(mutation{writeOptions: options, uid: scale.GetUID()}, func(map[string]any) (map[string]any, error) {
		return scale.Object, nil
	})
	if err != nil {
		return err
	}
	return c.answerScale(rec)
}

// reading is the call with another kind in its body.
func (c *call) reading(as *resource) *call {
	other := *c
	other.resource = as
	return &other
}

// mutateScale changes an object by its scale, like mutate: f makes the next
// scale from the present one.
func (c *call) mutateScale(m mutation, f func(scale map[string]any) (map[string]any, error)) (*record, error) {
	rec, _, err := c.mutate(m, func(current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		scale, err := c.resource.scaleOf(current)
		if err != nil && !c.resource.custom {
			return nil, err
		}
		if scale, err = f(scale); err != nil {
			return nil, err
		}
		return c.rescaled(current, scale)
	})
	return rec, err
}

// rescaled is an object as a scale wants it.
func (c *call) rescaled(current *unstructured.Unstructured, scale map[string]any) (*unstructured.Unstructured, error) {
	replicas, err := replicasOf(scale)
	if err != nil {
		return nil, c.reading(scaleBodies).unfit(err)
	}
	if replicas < 0 && c.resource.custom {
		return nil, c.invalid(current, field.ErrorList{field.Invalid(field.NewPath(c.resource.Scale.SpecReplicas), replicas, "should be a non-negative integer")})
	}
	if replicas < 0 {
		return nil, apierrors.NewInvalid(scaleKind.GroupKind(), c.name, field.ErrorList{
			field.Invalid(field.NewPath("spec", "replicas"), replicas, "must be greater than or equal to 0")})
	}
	next := current.DeepCopy()
	setAt(next.Object, int64(replicas), pathOf(c.resource.Scale.SpecReplicas)...)
	if version, _ := metadataOf(scale)["resourceVersion"].(string); version != "" {
		next.SetResourceVersion(version)
	}
	if uid, _ := metadataOf(scale)["uid"].(string); uid != "" {
		next.SetUID(types.UID(uid))
	}
	return next, nil
}

// replicasOf a scale. The types have the names that stand in the messages of
// the real server.
func replicasOf(scale map[string]any) (int32, error) {
	type ScaleSpec struct {
		Replicas int32 `json:"replicas"`
	}
	var typed struct {
		Spec ScaleSpec `json:"spec"`
	}
	err := into(map[string]any{"spec": scale["spec"]}, &typed)
	return typed.Spec.Replicas, err
}

// pathOf is a path such as .spec.replicas in parts.
func pathOf(path string) []string { return strings.Split(strings.TrimPrefix(path, "."), ".") }

// scaleOf is the scale of an object.
func (r *resource) scaleOf(obj *unstructured.Unstructured) (map[string]any, error) {
	metadata := map[string]any{}
	for _, name := range []string{"name", "namespace", "uid", "resourceVersion", "creationTimestamp"} {
		keep(metadata, metadataOf(obj.Object), name)
	}
	wanted := at(obj.Object, strings.Join(pathOf(r.Scale.SpecReplicas), "."))
	if wanted == nil && r.builtin == nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("the spec replicas field %q does not exist", r.Scale.SpecReplicas))
	}
	if wanted == nil {
		wanted = r.builtin.Scale.Default
	}
	spec, status := map[string]any{}, map[string]any{"replicas": int64(0)}
	if wanted != int64(0) {
		spec["replicas"] = wanted
	}
	if there, ok := at(obj.Object, strings.Join(pathOf(r.Scale.StatusReplicas), ".")).(int64); ok {
		status["replicas"] = there
	}
	selector, err := r.scaleSelector(obj.Object)
	if err != nil {
		return nil, err
	}
	if selector != "" {
		status["selector"] = selector
	}
	return map[string]any{
		"kind": scaleKind.Kind, "apiVersion": scaleKind.GroupVersion().String(),
		"metadata": metadata, "spec": spec, "status": status,
	}, nil
}

// scaleSelector is the selector of an object's pods, as text.
func (r *resource) scaleSelector(obj map[string]any) (string, error) {
	if r.Scale.LabelSelector == "" {
		return "", nil
	}
	found := at(obj, strings.Join(pathOf(r.Scale.LabelSelector), "."))
	content, structured := found.(map[string]any)
	if !structured {
		text, _ := found.(string)
		return text, nil
	}
	if r.builtin != nil && r.builtin.Scale.Labels {
		return labelsAsText(content), nil
	}
	var typed metav1.LabelSelector
	if err := into(content, &typed); err != nil {
		return "", fmt.Errorf("read the selector of %s: %w", r.Kind, err)
	}
	selector, err := metav1.LabelSelectorAsSelector(&typed)
	if err != nil {
		return "", fmt.Errorf("read the selector of %s: %w", r.Kind, err)
	}
	return selector.String(), nil
}

func labelsAsText(labels map[string]any) string {
	var pairs []string
	for name, value := range labels {
		pairs = append(pairs, fmt.Sprintf("%s=%v", name, value))
	}
	slices.Sort(pairs)
	return strings.Join(pairs, ",")
}
