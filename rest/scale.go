package rest

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Scale is the autoscaling/v1 Scale: the actual and the desired number of replicas
// of a scalable object.
type Scale struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec              ScaleSpec   `json:"spec,omitzero"`
	Status            ScaleStatus `json:"status,omitzero"`
}

// ScaleSpec is the desired number of replicas.
type ScaleSpec struct {
	Replicas int32 `json:"replicas,omitempty"`
}

// ScaleStatus is the actual number of replicas, and the selector of their pods.
type ScaleStatus struct {
	Replicas int32  `json:"replicas"`
	Selector string `json:"selector,omitempty"`
}

// GetScale reads the scale subresource.
func (r *Resource[T]) GetScale(ctx context.Context, name string) (*Scale, error) {
	scale := &Scale{}
	if err := r.SubResource("scale").Get(ctx, name, scale); err != nil {
		return nil, err
	}
	return scale, nil
}

// UpdateScale sets the number of replicas. If scale has a resourceVersion that is
// not the latest, the error is a conflict.
func (r *Resource[T]) UpdateScale(ctx context.Context, name string, scale *Scale, opts metav1.UpdateOptions) (*Scale, error) {
	if scale == nil {
		return nil, fmt.Errorf("update the scale of %s %s: the scale is nil", r.info.Resource, name)
	}
	sent := *scale
	sent.TypeMeta = metav1.TypeMeta{APIVersion: "autoscaling/v1", Kind: "Scale"}
	stored := &Scale{}
	if err := r.SubResource("scale").Replace(ctx, name, &sent, stored, opts); err != nil {
		return nil, err
	}
	return stored, nil
}

// PatchScale applies a patch of type pt to the scale subresource.
func (r *Resource[T]) PatchScale(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions) (*Scale, error) {
	info := r.info
	info.Kind = "Scale"
	scales := NewResource[*Scale](r.client, info).Namespace(r.namespace)
	return scales.patch(ctx, r.namespace, name, "scale", pt, data, opts)
}
