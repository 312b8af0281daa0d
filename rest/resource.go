package rest

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Resource is a View that can also write. Every write returns the object as the
// server has stored it, with managedFields.
//
// The namespace of a write is that of the object, or of the Resource where the
// object has none; two different ones are an error.
type Resource[T Object] struct {
	*View[T]
	mayLose bool
}

// NewResource makes a Resource of what info names. Its Kind must be set: writes
// say what they write.
func NewResource[T Object](c *Client, info ResourceInfo) *Resource[T] {
	return &Resource[T]{View: NewView[T](c, info)}
}

// Namespace is the same resource in one namespace.
func (r *Resource[T]) Namespace(namespace string) *Resource[T] {
	narrow := *r
	narrow.View = r.View.Namespace(namespace)
	return &narrow
}

// Decoding is the same resource with other options than the client's.
func (r *Resource[T]) Decoding(o DecodeOptions) *Resource[T] {
	other := *r
	other.View = r.View.Decoding(o)
	return &other
}

// AllowFieldLoss is the same resource, whose Update sends objects although
// fields of theirs that T does not have will be gone from the server.
func (r *Resource[T]) AllowFieldLoss() *Resource[T] {
	other := *r
	other.mayLose = true
	return &other
}

// Create sends a new object. Where the API answers no more than that all is
// well, as it does for a Binding, object itself is returned.
func (r *Resource[T]) Create(ctx context.Context, object T, opts metav1.CreateOptions) (T, error) {
	return r.write(ctx, object, verbCreate, "", &opts)
}

// Update replaces the object: what it leaves out is removed. When the object
// carries a resourceVersion that is no longer the latest, the error is a
// conflict: see RetryOnConflict. An object that was read without some of its
// fields, because T does not have them, is not sent: see ErrWouldDropFields.
func (r *Resource[T]) Update(ctx context.Context, object T, opts metav1.UpdateOptions) (T, error) {
	return r.write(ctx, object, verbUpdate, "", &opts)
}

// UpdateStatus replaces the object's status, and nothing else of it. It is
// refused as Update is, wherever the field is that T does not have: patch the
// status then.
func (r *Resource[T]) UpdateStatus(ctx context.Context, object T, opts metav1.UpdateOptions) (T, error) {
	return r.write(ctx, object, verbUpdate, "status", &opts)
}

// write sends a whole object.
func (r *Resource[T]) write(ctx context.Context, object T, verb, sub string, opts any) (T, error) {
	var none T
	namespace, err := r.placeOf(object, verb)
	if err != nil {
		return none, err
	}
	var request *Request
	if verb == verbCreate {
		request = r.in(r.rest().Post(), namespace)
		if r.info.Namespaced {
			request.Namespace(namespace)
		}
	} else {
		request = r.named(r.rest().Put(), namespace, object.GetName()).part(sub)
		if err := r.wouldLose(object); err != nil {
			return none, fmt.Errorf("%s: %w", request.what(), err)
		}
	}
	contentType, body, err := encode(object, r.info, r.client.config.ContentType)
	if err != nil {
		return none, fmt.Errorf("%s: %w", request.what(), err)
	}
	stored, err := r.one(ctx, request.options(opts).Body(body).SetHeader("Content-Type", contentType))
	if errors.Is(err, errSuccess) {
		return object, nil
	}
	return stored, err
}

// wouldLose says whether replacing the object would drop some of it.
func (r *Resource[T]) wouldLose(object T) error {
	switch {
	case r.mayLose:
		return nil
	case r.codec.metadataOnly:
		return fmt.Errorf("%w: all but the metadata", ErrWouldDropFields)
	case isSlim(reflect.TypeFor[T]().Elem()):
		return fmt.Errorf("%w: %T is a slim type", ErrWouldDropFields, object)
	}
	return r.losses.check(object)
}

// part addresses a subresource; "" is the object itself.
func (r *Request) part(sub string) *Request {
	if sub == "" {
		return r
	}
	return r.SubResource(sub)
}

// placeOf is the namespace that an object is written to.
func (r *Resource[T]) placeOf(object T, verb string) (namespace string, err error) {
	fail := func(err error) (string, error) {
		return "", fmt.Errorf("%s %s: %w", verb, r.info.Resource, err)
	}
	if r.err != nil {
		return "", r.err
	}
	if isNil(object) {
		return fail(fmt.Errorf("the object is nil"))
	}
	if r.info.Kind == "" {
		return fail(fmt.Errorf("ResourceInfo.Kind is empty: a write must say what it writes"))
	}
	switch own := object.GetNamespace(); {
	case own == "":
		return r.namespace, nil
	case r.namespace == "", r.namespace == own:
		return own, nil
	default:
		return fail(fmt.Errorf("the object %q is in namespace %q, and this client in %q", object.GetName(), own, r.namespace))
	}
}

// Patch changes the object that is named as data says, in the manner of pt:
// types.JSONPatchType, MergePatchType, StrategicMergePatchType (for built-in
// kinds) or ApplyPatchType (see Apply). data is sent as it is.
func (r *Resource[T]) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions) (T, error) {
	return r.patch(ctx, r.namespace, name, "", pt, data, opts)
}

func (r *Resource[T]) patch(ctx context.Context, namespace, name, sub string, pt types.PatchType, data []byte, opts metav1.PatchOptions) (T, error) {
	if len(data) == 0 {
		var none T
		return none, fmt.Errorf("patch %s %s: the patch is empty", r.info.Resource, name)
	}
	request := r.named(r.rest().Patch(pt), namespace, name).part(sub)
	return r.one(ctx, request.options(&opts).Body(data))
}

// MergePatch sends what has changed between old and new, which are two states
// of one object: fields that T does not have stay as they are on the server.
// Where nothing has changed nothing is sent, and new is returned.
//
// A merge patch replaces lists as a whole, and removes maps as a whole where new
// has none at all, labels and annotations excepted. One that does so carries
// old's resourceVersion (new's, if old has none), so that it conflicts, instead
// of undoing what others have changed in there since; see RetryOnConflict. To
// overwrite in any case, clear the resourceVersion of both.
//
// What only the server writes is not compared: versions, uid, managedFields and
// the like. So old may be what Get returned, and new come from a cache.
func (r *Resource[T]) MergePatch(ctx context.Context, old, new T) (T, error) {
	return r.mergePatch(ctx, old, new, "")
}

func (r *Resource[T]) mergePatch(ctx context.Context, old, new T, sub string) (T, error) {
	var none T
	if _, err := r.placeOf(old, verbPatch); err != nil {
		return none, err
	}
	namespace, err := r.placeOf(new, verbPatch)
	if err != nil {
		return none, err
	}
	data, err := mergePatch(old, new)
	if err != nil {
		return none, fmt.Errorf("patch %s %s: %w", r.info.Resource, new.GetName(), err)
	}
	if data == nil {
		return new, nil
	}
	return r.patch(ctx, namespace, new.GetName(), sub, types.MergePatchType, data, metav1.PatchOptions{})
}

// Apply states the fields that opts.FieldManager wants and owns: server-side
// apply. The server creates the object, changes those fields, and removes the
// ones that the same manager stated before and now does not. T should hold only
// what is meant: a field without omitempty is stated with its zero value.
func (r *Resource[T]) Apply(ctx context.Context, object T, opts metav1.ApplyOptions) (T, error) {
	return r.apply(ctx, object, "", opts)
}

func (r *Resource[T]) apply(ctx context.Context, object T, sub string, opts metav1.ApplyOptions) (T, error) {
	var none T
	namespace, err := r.placeOf(object, "apply")
	if err != nil {
		return none, err
	}
	if object.GetName() == "" {
		return none, fmt.Errorf("apply %s: the object has no name", r.info.Resource)
	}
	if opts.FieldManager == "" {
		return none, fmt.Errorf("apply %s %s: ApplyOptions.FieldManager is empty: it says who owns the fields", r.info.Resource, object.GetName())
	}
	data, err := encodeApply(object, r.info)
	if err != nil {
		return none, fmt.Errorf("apply %s %s: %w", r.info.Resource, object.GetName(), err)
	}
	return r.patch(ctx, namespace, object.GetName(), sub, types.ApplyPatchType, data, opts.ToPatchOptions())
}
