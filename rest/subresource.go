package rest

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/wire"
)

// SubResource is a subresource of the objects of a Resource: status, scale, resize,
// eviction, token.
type SubResource[T Object] struct {
	resource *Resource[T]
	name     string
}

// SubResource returns the named subresource. Its calls return an error for an
// invalid name.
func (r *Resource[T]) SubResource(name string) *SubResource[T] {
	return &SubResource[T]{resource: r, name: name}
}

// Get reads the subresource into a value of any type.
func (s *SubResource[T]) Get(ctx context.Context, name string, into any) error {
	r := s.resource
	return s.doAny(ctx, r.inNamespaceWithName(r.rest().Get(), r.namespace, name), nil, into)
}

// Create posts body, such as an Eviction or a TokenRequest, which must have its
// apiVersion and kind, and decodes the response into the value that into points to;
// nil discards it.
func (s *SubResource[T]) Create(ctx context.Context, name string, body, into any, opts metav1.CreateOptions) error {
	r := s.resource
	return s.doAny(ctx, r.inNamespaceWithName(r.rest().Post(), r.namespace, name).options(&opts), body, into)
}

// Replace replaces the subresource with body, such as a Scale, and decodes the
// response into the value that into points to; a nil into discards it.
func (s *SubResource[T]) Replace(ctx context.Context, name string, body, into any, opts metav1.UpdateOptions) error {
	r := s.resource
	return s.doAny(ctx, r.inNamespaceWithName(r.rest().Put(), r.namespace, name).options(&opts), body, into)
}

// Update puts the whole object to the subresource, as for status, resize and
// finalize. Like Resource.Update it does not drop fields.
func (s *SubResource[T]) Update(ctx context.Context, object T, opts metav1.UpdateOptions) (T, error) {
	if err := s.checkWholeObject(); err != nil {
		var zero T
		return zero, err
	}
	return s.resource.write(ctx, object, "update", s.name, &opts)
}

// Patch is Resource.Patch for a subresource whose response is the whole object. For
// a Scale, see PatchScale.
func (s *SubResource[T]) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions) (T, error) {
	if err := s.checkWholeObject(); err != nil {
		var zero T
		return zero, err
	}
	return s.resource.patch(ctx, s.resource.namespace, name, s.name, pt, data, opts)
}

// MergePatch is Resource.MergePatch for the subresource.
func (s *SubResource[T]) MergePatch(ctx context.Context, original, updated T, opts metav1.PatchOptions) (T, error) {
	if err := s.checkWholeObject(); err != nil {
		var zero T
		return zero, err
	}
	return s.resource.mergePatch(ctx, original, updated, s.name, opts)
}

// Apply is Resource.Apply for the subresource.
func (s *SubResource[T]) Apply(ctx context.Context, object T, opts metav1.ApplyOptions) (T, error) {
	if err := s.checkWholeObject(); err != nil {
		var zero T
		return zero, err
	}
	return s.resource.apply(ctx, object, s.name, opts)
}

// checkWholeObject returns an error if the responses of the subresource are not the
// whole object, before anything is sent.
func (s *SubResource[T]) checkWholeObject() error {
	if s.name == "scale" {
		return fmt.Errorf("%s: a scale is an object of its own: use GetScale, UpdateScale and PatchScale", s.resource.info.Resource)
	}
	return s.checkName()
}

// checkName rejects the empty name, which would address the object itself.
func (s *SubResource[T]) checkName() error {
	if s.name == "" {
		return fmt.Errorf("%s: the subresource has no name", s.resource.info.Resource)
	}
	return nil
}

// doAny sends body and decodes the response, both of any type.
func (s *SubResource[T]) doAny(ctx context.Context, r *Request, body, into any) error {
	if s.resource.err != nil {
		return s.resource.err
	}
	if err := s.checkName(); err != nil {
		return err
	}
	result := r.SubResource(s.name).Body(body).SetHeader("Accept", wire.JSONType).Do(ctx)
	if into == nil {
		return result.Error()
	}
	return result.Into(into)
}
