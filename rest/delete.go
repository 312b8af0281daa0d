package rest

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Delete asks for the object to be deleted. With finalizers, or a grace period,
// it is there until later: only marked with a deletionTimestamp.
func (r *Resource[T]) Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error {
	if r.err != nil {
		return r.err
	}
	return r.remove(ctx, r.named(r.rest().Delete(), r.namespace, name), opts)
}

// DeleteCollection deletes the objects that list selects: with no selector, all.
// Those in namespaces are deleted in one namespace at a time: the API has no
// request for all of them at once.
func (r *Resource[T]) DeleteCollection(ctx context.Context, opts metav1.DeleteOptions, list metav1.ListOptions) error {
	if r.err != nil {
		return r.err
	}
	if r.info.Namespaced && r.namespace == "" {
		return fmt.Errorf("%s %s: the namespace is empty", verbDeleteCollection, r.info.Resource)
	}
	return r.remove(ctx, r.in(r.rest().Delete(), r.namespace).as(verbDeleteCollection).options(&list), opts)
}

// remove sends a deletion. The options go in the version that every resource's
// server reads.
func (r *Resource[T]) remove(ctx context.Context, request *Request, opts metav1.DeleteOptions) error {
	opts.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"}
	return request.Body(&opts).SetHeader("Accept", jsonType).Do(ctx).Error()
}
