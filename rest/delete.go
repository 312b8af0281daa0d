package rest

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/wire"
)

// Delete deletes an object. With finalizers or a grace period, the server first
// marks the object with a deletionTimestamp and removes it later.
func (r *Resource[T]) Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error {
	if r.err != nil {
		return r.err
	}
	return r.sendDelete(ctx, r.inNamespaceWithName(r.rest().Delete(), r.namespace, name), opts)
}

// DeleteCollection deletes the objects that list selects; without a selector, it
// deletes all objects. Namespaced objects are deleted in one namespace at a time:
// the API has no request for all namespaces.
func (r *Resource[T]) DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, list metav1.ListOptions) error {
	if r.err != nil {
		return r.err
	}
	if r.info.Namespaced && r.namespace == "" {
		return fmt.Errorf("%s %s: the namespace is empty", verbDeleteCollection, r.info.Resource)
	}
	return r.sendDelete(ctx, r.inNamespace(r.rest().Delete(), r.namespace).withVerb(verbDeleteCollection).options(&list), opts)
}

// sendDelete sends a deletion. Its options are encoded as v1, which every server
// accepts.
func (r *Resource[T]) sendDelete(ctx context.Context, request *Request, opts metav1.DeleteOptions) error {
	opts.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"}
	return request.Body(&opts).SetHeader("Accept", wire.JSONType).Do(ctx).Error()
}
