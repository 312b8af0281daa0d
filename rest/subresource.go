package rest

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// SubResource is a part of an object with a path of its own: status, scale,
// resize, eviction, token.
type SubResource[T Object] struct {
	resource *Resource[T]
	name     string
}

// SubResource is the part that is named. What is wrong with the name is
// returned by its calls.
func (r *Resource[T]) SubResource(name string) *SubResource[T] {
	return &SubResource[T]{resource: r, name: name}
}

// Get reads the part into a value of any type that it has.
func (s *SubResource[T]) Get(ctx context.Context, name string, into any) error {
	r := s.resource
	return s.exchange(ctx, r.named(r.rest().Get(), r.namespace, name), nil, into)
}

// Create posts body, such as an Eviction or a TokenRequest, which must carry
// its own apiVersion and kind, and decodes the answer into what into points
// to; nil discards it.
func (s *SubResource[T]) Create(ctx context.Context, name string, body, into any, opts metav1.CreateOptions) error {
	r := s.resource
	return s.exchange(ctx, r.named(r.rest().Post(), r.namespace, name).options(&opts), body, into)
}

// Replace puts body, whose type is the part's own, such as a Scale.
func (s *SubResource[T]) Replace(ctx context.Context, name string, body, into any, opts metav1.UpdateOptions) error {
	r := s.resource
	return s.exchange(ctx, r.named(r.rest().Put(), r.namespace, name).options(&opts), body, into)
}

// Update puts the whole object to the part's path, as status, resize and
// finalize want it. It loses no fields, as Resource.Update does not.
func (s *SubResource[T]) Update(ctx context.Context, object T, opts metav1.UpdateOptions) (T, error) {
	if err := s.whole(); err != nil {
		var none T
		return none, err
	}
	return s.resource.write(ctx, object, "update", s.name, &opts)
}

// Patch is Resource.Patch at the part's path, where the answer is the whole
// object. A Scale is not; see PatchScale.
func (s *SubResource[T]) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions) (T, error) {
	if err := s.whole(); err != nil {
		var none T
		return none, err
	}
	return s.resource.patch(ctx, s.resource.namespace, name, s.name, pt, data, opts)
}

// MergePatch is Resource.MergePatch at the part's path.
func (s *SubResource[T]) MergePatch(ctx context.Context, old, new T) (T, error) {
	if err := s.whole(); err != nil {
		var none T
		return none, err
	}
	return s.resource.mergePatch(ctx, old, new, s.name)
}

// Apply is Resource.Apply at the part's path.
func (s *SubResource[T]) Apply(ctx context.Context, object T, opts metav1.ApplyOptions) (T, error) {
	if err := s.whole(); err != nil {
		var none T
		return none, err
	}
	return s.resource.apply(ctx, object, s.name, opts)
}

// whole refuses a part whose answers are not the whole object, before anything is
// sent.
func (s *SubResource[T]) whole() error {
	if s.name == "scale" {
		return fmt.Errorf("%s: a scale is an object of its own: use GetScale, UpdateScale and PatchScale", s.resource.info.Resource)
	}
	return s.valid()
}

// valid refuses the one name that would make a part the whole.
func (s *SubResource[T]) valid() error {
	if s.name == "" {
		return fmt.Errorf("%s: the subresource has no name", s.resource.info.Resource)
	}
	return nil
}

// exchange sends body and decodes the answer, both of any type.
func (s *SubResource[T]) exchange(ctx context.Context, r *Request, body, into any) error {
	if s.resource.err != nil {
		return s.resource.err
	}
	if err := s.valid(); err != nil {
		return err
	}
	answer := r.SubResource(s.name).Body(body).SetHeader("Accept", jsonType).Do(ctx)
	if into == nil {
		return answer.Error()
	}
	return answer.Into(into)
}
