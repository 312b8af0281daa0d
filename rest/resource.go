package rest

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/internal/wire"
)

// Resource is a View with write methods. Every write returns the object as the
// server has stored it, with managedFields.
//
// A write uses the namespace of the object, or that of the Resource if the object
// has none; two different namespaces are an error.
type Resource[T Object] struct {
	*View[T]
	allowFieldLoss bool
}

// NewResource returns a Resource for info, whose Kind must be set: it is sent with
// every write.
func NewResource[T Object](c *Client, info ResourceInfo) *Resource[T] {
	return &Resource[T]{View: NewView[T](c, info)}
}

// Namespace returns a copy of the resource that is limited to one namespace.
func (r *Resource[T]) Namespace(namespace string) *Resource[T] {
	scoped := *r
	scoped.View = r.View.Namespace(namespace)
	return &scoped
}

// WithDecodeOptions returns a copy of the resource with other decode options.
func (r *Resource[T]) WithDecodeOptions(o DecodeOptions) *Resource[T] {
	other := *r
	other.View = r.View.WithDecodeOptions(o)
	return &other
}

// AllowFieldLoss returns a copy of the resource whose Update sends objects even if
// that deletes fields on the server that T does not have.
func (r *Resource[T]) AllowFieldLoss() *Resource[T] {
	other := *r
	other.allowFieldLoss = true
	return &other
}

// Create creates an object. If the server returns only a Status of success, as for
// a Binding, object itself is returned.
func (r *Resource[T]) Create(ctx context.Context, object T, opts metav1.CreateOptions) (T, error) {
	return r.write(ctx, object, verbCreate, "", &opts)
}

// Update replaces the object: fields that it leaves out are removed. If the
// object's resourceVersion is not the latest, the error is a conflict: see
// RetryOnConflict. An object that was read without some of its fields, because T
// does not have them, is not sent: see ErrWouldDropFields.
func (r *Resource[T]) Update(ctx context.Context, object T, opts metav1.UpdateOptions) (T, error) {
	return r.write(ctx, object, verbUpdate, "", &opts)
}

// UpdateStatus replaces the object's status. It returns ErrWouldDropFields if the
// object was read without a field of its status or metadata, because T does not
// have it: patch the status then. Fields elsewhere, as in the spec, do not matter:
// the server keeps them.
func (r *Resource[T]) UpdateStatus(ctx context.Context, object T, opts metav1.UpdateOptions) (T, error) {
	return r.write(ctx, object, verbUpdate, "status", &opts)
}

// write sends a whole object.
func (r *Resource[T]) write(ctx context.Context, object T, verb, sub string, opts any) (T, error) {
	var zero T
	namespace, err := r.namespaceOf(object, verb)
	if err != nil {
		return zero, err
	}
	var request *Request
	if verb == verbCreate {
		request = r.inNamespace(r.rest().Post(), namespace)
		if r.info.Namespaced {
			request.Namespace(namespace)
		}
	} else {
		request = r.inNamespaceWithName(r.rest().Put(), namespace, object.GetName()).withSubresource(sub)
		if err := r.checkFieldLoss(object, sub); err != nil {
			return zero, fmt.Errorf("%s: %w", request.describe(), err)
		}
	}
	contentType, body, err := wire.Encode(object, r.info.GroupVersionKind(), r.client.config.ContentType)
	if err != nil {
		return zero, fmt.Errorf("%s: %w", request.describe(), err)
	}
	stored, err := r.doObject(ctx, request.options(opts).Body(body).SetHeader("Content-Type", contentType))
	if errors.Is(err, wire.ErrStatusSuccess) {
		return object, nil
	}
	return stored, err
}

// checkFieldLoss returns an error if replacing the object, or its subresource sub,
// would drop fields.
func (r *Resource[T]) checkFieldLoss(object T, sub string) error {
	switch {
	case r.allowFieldLoss:
		return nil
	case r.codec.MetadataOnly():
		return fmt.Errorf("%w: all but the metadata", ErrWouldDropFields)
	case isSlim(reflect.TypeFor[T]().Elem()):
		return fmt.Errorf("%w: %T is a slim type", ErrWouldDropFields, object)
	}
	if sub == "status" {
		return r.fieldLosses.status.check(object)
	}
	return r.fieldLosses.object.check(object)
}

// withSubresource sets the subresource; "" is the object itself.
func (r *Request) withSubresource(sub string) *Request {
	if sub == "" {
		return r
	}
	return r.SubResource(sub)
}

// namespaceOf returns the namespace that an object is written to.
func (r *Resource[T]) namespaceOf(object T, verb string) (namespace string, err error) {
	fail := func(err error) (string, error) {
		return "", fmt.Errorf("%s %s: %w", verb, r.info.Resource, err)
	}
	if r.err != nil {
		return "", r.err
	}
	if nilcheck.IsNil(object) {
		return fail(fmt.Errorf("the object is nil"))
	}
	if r.info.Kind == "" {
		return fail(fmt.Errorf("ResourceInfo.Kind is empty: it is required for writes"))
	}
	switch objectNamespace := object.GetNamespace(); {
	case objectNamespace == "":
		return r.namespace, nil
	case r.namespace == "", r.namespace == objectNamespace:
		return objectNamespace, nil
	default:
		return fail(fmt.Errorf("the object %q is in namespace %q, but this Resource in %q", object.GetName(), objectNamespace, r.namespace))
	}
}

// Patch applies a patch of type pt to the named object: types.JSONPatchType,
// MergePatchType, StrategicMergePatchType (for built-in kinds) or ApplyPatchType
// (see Apply). data is sent as it is.
func (r *Resource[T]) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions) (T, error) {
	return r.patch(ctx, r.namespace, name, "", pt, data, opts)
}

func (r *Resource[T]) patch(ctx context.Context, namespace, name, sub string, pt types.PatchType, data []byte, opts metav1.PatchOptions) (T, error) {
	if len(data) == 0 {
		var zero T
		return zero, fmt.Errorf("patch %s %s: the patch is empty", r.info.Resource, name)
	}
	request := r.inNamespaceWithName(r.rest().Patch(pt), namespace, name).withSubresource(sub)
	return r.doObject(ctx, request.options(&opts).Body(data))
}

// MergePatch sends the difference between original and updated, two states of one
// object, as a JSON merge patch. Fields that T does not have stay unchanged on the
// server. Without a difference nothing is sent, and updated is returned.
//
// A merge patch replaces lists as a whole, and removes maps as a whole if updated
// has none, except for labels and annotations. A patch that does so includes the
// resourceVersion of original (or of updated, if original has none), so that it
// conflicts instead of undoing changes by other clients; see RetryOnConflict. To
// overwrite such changes, clear the resourceVersion of both.
//
// Fields that only the server sets are not compared: versions, uid, managedFields
// and others. Therefore original may be the result of Get while updated comes from
// a cache.
func (r *Resource[T]) MergePatch(ctx context.Context, original, updated T, opts metav1.PatchOptions) (T, error) {
	return r.mergePatch(ctx, original, updated, "", opts)
}

func (r *Resource[T]) mergePatch(ctx context.Context, original, updated T, sub string, opts metav1.PatchOptions) (T, error) {
	var zero T
	if _, err := r.namespaceOf(original, verbPatch); err != nil {
		return zero, err
	}
	namespace, err := r.namespaceOf(updated, verbPatch)
	if err != nil {
		return zero, err
	}
	data, err := mergePatch(original, updated)
	if err != nil {
		return zero, fmt.Errorf("patch %s %s: %w", r.info.Resource, updated.GetName(), err)
	}
	if data == nil {
		return updated, nil
	}
	return r.patch(ctx, namespace, updated.GetName(), sub, types.MergePatchType, data, opts)
}

// Apply applies object with server-side apply, as the field manager
// opts.FieldManager. The server creates the object if it does not exist, changes
// the applied fields, and removes fields that the same manager applied before and
// no longer applies. Every field of T without omitempty is applied, with its zero
// value if it is not set.
func (r *Resource[T]) Apply(ctx context.Context, object T, opts metav1.ApplyOptions) (T, error) {
	return r.apply(ctx, object, "", opts)
}

func (r *Resource[T]) apply(ctx context.Context, object T, sub string, opts metav1.ApplyOptions) (T, error) {
	var zero T
	namespace, err := r.namespaceOf(object, "apply")
	if err != nil {
		return zero, err
	}
	if object.GetName() == "" {
		return zero, fmt.Errorf("apply %s: the object has no name", r.info.Resource)
	}
	if opts.FieldManager == "" {
		return zero, fmt.Errorf("apply %s %s: ApplyOptions.FieldManager is empty: it is the owner of the fields", r.info.Resource, object.GetName())
	}
	data, err := wire.EncodeApply(object, r.info.GroupVersionKind())
	if err != nil {
		return zero, fmt.Errorf("apply %s %s: %w", r.info.Resource, object.GetName(), err)
	}
	return r.patch(ctx, namespace, object.GetName(), sub, types.ApplyPatchType, data, opts.ToPatchOptions())
}

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
