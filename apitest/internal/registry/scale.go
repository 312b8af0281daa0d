package registry

import (
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/thinformer/thinformer/apitest/internal/objects"
)

// ScaleKind is the kind of the subresource scale.
var ScaleKind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}

// PathOf splits a path such as .spec.replicas.
func PathOf(path string) []string { return strings.Split(strings.TrimPrefix(path, "."), ".") }

// ScaleOf returns the scale of an object.
func (r *Resource) ScaleOf(obj *unstructured.Unstructured) (map[string]any, error) {
	metadata := map[string]any{}
	for _, name := range []string{"name", "namespace", "uid", "resourceVersion", "creationTimestamp"} {
		objects.Copy(metadata, objects.Metadata(obj.Object), name)
	}
	wanted := objects.At(obj.Object, strings.Join(PathOf(r.Scale.SpecReplicas), "."))
	if wanted == nil && r.Builtin == nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("the spec replicas field %q does not exist", r.Scale.SpecReplicas))
	}
	if wanted == nil {
		wanted = r.Builtin.Scale.Default
	}
	spec, status := map[string]any{}, map[string]any{"replicas": int64(0)}
	if wanted != int64(0) {
		spec["replicas"] = wanted
	}
	if replicas, ok := objects.At(obj.Object, strings.Join(PathOf(r.Scale.StatusReplicas), ".")).(int64); ok {
		status["replicas"] = replicas
	}
	selector, err := r.scaleSelector(obj.Object)
	if err != nil {
		return nil, err
	}
	if selector != "" {
		status["selector"] = selector
	}
	return map[string]any{
		"kind": ScaleKind.Kind, "apiVersion": ScaleKind.GroupVersion().String(),
		"metadata": metadata, "spec": spec, "status": status,
	}, nil
}

// scaleSelector returns the selector of an object's pods as text.
func (r *Resource) scaleSelector(obj map[string]any) (string, error) {
	if r.Scale.LabelSelector == "" {
		return "", nil
	}
	found := objects.At(obj, strings.Join(PathOf(r.Scale.LabelSelector), "."))
	content, structured := found.(map[string]any)
	if !structured {
		text, _ := found.(string)
		return text, nil
	}
	if r.Builtin != nil && r.Builtin.Scale.Labels {
		return labelsAsText(content), nil
	}
	var typed metav1.LabelSelector
	if err := objects.DecodeInto(content, &typed); err != nil {
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
