package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/thinformer/thinformer/internal/nilcheck"
	"github.com/thinformer/thinformer/rest"
)

// Finalizable is an object with a deletion timestamp and finalizers. Every type that
// embeds metav1.ObjectMeta implements it. A slim type needs the two fields and these
// methods.
type Finalizable interface {
	rest.Object
	GetDeletionTimestamp() *metav1.Time
	GetFinalizers() []string
}

// Finalize reconciles an object that owns something outside of the cluster that must
// be cleaned up before the object is deleted: an account, a load balancer, objects in
// another cluster. finalizer is the name of a finalizer that only this controller
// uses, such as "widgets.example.com/account".
//
//	return controller.Finalize(ctx, widgets, widget, "widgets.example.com/account", r.cleanup, r.work)
//
// For an object that is not being deleted, Finalize adds the finalizer and then calls
// work with the resulting object: work never runs without the finalizer in place. For
// an object that is being deleted and has the finalizer, it calls cleanup, and removes
// the finalizer after cleanup has returned no error and no RequeueAfter. For an object
// that is being deleted without the finalizer it does nothing.
//
// Finalize may be interrupted at any point and called again. Therefore cleanup must be
// idempotent: it may be called after a successful cleanup. The finalizer is added and
// removed by patches that change nothing else. They fail with a conflict if the list
// of finalizers has changed since, or if the object was replaced by another one of the
// same name; the error makes the controller retry the key.
//
// Finalize does not modify object, which may be shared with an informer. It needs only
// the right to patch the resource.
func Finalize[T Finalizable](ctx context.Context, resource *rest.Resource[T], object T, finalizer string, cleanup, work func(context.Context, T) (Result, error)) (Result, error) {
	if err := validateFinalize(resource, object, finalizer, cleanup == nil || work == nil); err != nil {
		return Result{}, err
	}
	at := slices.Index(object.GetFinalizers(), finalizer)
	switch deleting := object.GetDeletionTimestamp() != nil; {
	case deleting && at < 0:
		return Result{}, nil
	case deleting:
		result, err := cleanup(ctx, object)
		if err != nil || result.RequeueAfter > 0 {
			return result, err
		}
		_, err = patchFinalizers(ctx, resource, object, "remove", finalizer, removeFinalizerOps(at, finalizer))
		return Result{}, IgnoreNotFound(err)
	case at < 0:
		marked, err := patchFinalizers(ctx, resource, object, "add", finalizer, addFinalizerOps(object.GetFinalizers(), finalizer))
		if err != nil {
			return Result{}, IgnoreNotFound(err)
		}
		object = marked
	}
	return work(ctx, object)
}

// validateFinalize returns an error for invalid arguments.
func validateFinalize[T Finalizable](resource *rest.Resource[T], object T, finalizer string, noFunction bool) error {
	conflict := ""
	switch {
	case resource == nil:
		conflict = "the resource is nil"
	case nilcheck.IsNilPointer(object):
		conflict = "the object is nil"
	case object.GetUID() == "":
		conflict = "the object has no uid: pass an object that was read from the server"
	case !strings.Contains(strings.Trim(finalizer, "/"), "/"):
		conflict = fmt.Sprintf("the finalizer %q is not a domain and a name, such as example.com/cleanup", finalizer)
	case noFunction:
		conflict = "cleanup or work is nil"
	default:
		return nil
	}
	return TerminalError(fmt.Errorf("%w: %s", ErrFinalize, conflict))
}

// jsonPatchOp is one operation of a JSON patch.
type jsonPatchOp struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// jsonNull is the value by which a test operation requires that a field does not
// exist.
var jsonNull = json.RawMessage("null")

// addFinalizerOps appends to the list if it is unchanged.
func addFinalizerOps(list []string, finalizer string) []jsonPatchOp {
	const path = "/metadata/finalizers"
	if len(list) == 0 {
		return []jsonPatchOp{{"test", path, jsonNull}, {"add", path, []string{finalizer}}}
	}
	return []jsonPatchOp{{"test", path, list}, {"add", path + "/-", finalizer}}
}

// removeFinalizerOps removes the finalizer at an index if it is still there.
func removeFinalizerOps(at int, finalizer string) []jsonPatchOp {
	path := "/metadata/finalizers/" + strconv.Itoa(at)
	return []jsonPatchOp{{"test", path, finalizer}, {Op: "remove", Path: path}}
}

// patchFinalizers sends the operations with a test of the uid.
func patchFinalizers[T Finalizable](ctx context.Context, resource *rest.Resource[T], object T, verb, finalizer string, operations []jsonPatchOp) (T, error) {
	operations = append([]jsonPatchOp{{"test", "/metadata/uid", object.GetUID()}}, operations...)
	patch, err := json.Marshal(operations)
	if err != nil {
		return object, err
	}
	patched, err := resource.Namespace(object.GetNamespace()).Patch(ctx, object.GetName(), types.JSONPatchType, patch, metav1.PatchOptions{})
	switch {
	case err == nil:
		return patched, nil
	case changedConcurrently(err):
		err = apierrors.NewConflict(resource.ResourceInfo().GroupResource(), object.GetName(),
			fmt.Errorf("%s finalizer %s: the object or its finalizers have changed since they were read: %w", verb, finalizer, err))
	default:
		err = fmt.Errorf("%s finalizer %s: %w", verb, finalizer, err)
	}
	return patched, err
}

// changedConcurrently reports whether a test of the patch failed, or the object is
// being deleted by now and accepts no finalizer. Validation errors in other fields do
// not count.
func changedConcurrently(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsInvalid(err) {
		return false
	}
	if details := status.Status().Details; details != nil {
		for _, cause := range details.Causes {
			if cause.Field != "" && cause.Field != "metadata.finalizers" {
				return false
			}
		}
	}
	return true
}
