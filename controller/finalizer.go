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

	"github.com/thinformer/thinformer/rest"
)

// Finalized is an object that says whether it is being deleted, and what that
// waits for. Whatever embeds metav1.ObjectMeta is one; a slim type needs the two
// fields and these methods.
type Finalized interface {
	rest.Object
	GetDeletionTimestamp() *metav1.Time
	GetFinalizers() []string
}

// Finalize reconciles an object that has something outside of it which must be
// cleaned up before it goes: an account, a load balancer, objects of another
// cluster. finalizer is the mark that keeps the object until then, such as
// "widgets.example.com/account"; it is this controller's alone.
//
//	return controller.Finalize(ctx, widgets, widget, "widgets.example.com/account", r.cleanup, r.work)
//
// An object that is to live gets the mark, and then work is called, with the
// object as it is then: nothing is made outside without the mark. One that is
// being deleted and has the mark is given to cleanup, and when that has returned
// without an error, and without asking to be called again by RequeueAfter, the
// mark is taken away. One that is being deleted without it is nobody's business
// any more.
//
// It may be interrupted anywhere, and called again: so cleanup may be called for
// what is cleaned up already, and must not mind. The mark is added and taken away
// by patches that touch nothing else, and that fail with a conflict when somebody
// else has changed the list of finalizers meanwhile, or when it is another object
// of that name: the error has the key come again.
//
// object is as an informer has it, and is not changed. The right to patch the
// resource is all that it takes.
func Finalize[T Finalized](ctx context.Context, resource *rest.Resource[T], object T, finalizer string, cleanup, work func(context.Context, T) (Result, error)) (Result, error) {
	if err := wrongToFinalize(resource, object, finalizer, cleanup == nil || work == nil); err != nil {
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
		_, err = patchFinalizers(ctx, resource, object, "remove", finalizer, withoutFinalizer(at, finalizer))
		return Result{}, IgnoreNotFound(err)
	case at < 0:
		marked, err := patchFinalizers(ctx, resource, object, "add", finalizer, withFinalizer(object.GetFinalizers(), finalizer))
		if err != nil {
			return Result{}, IgnoreNotFound(err)
		}
		object = marked
	}
	return work(ctx, object)
}

// wrongToFinalize is the caller's mistake.
func wrongToFinalize[T Finalized](resource *rest.Resource[T], object T, finalizer string, noFunction bool) error {
	why := ""
	switch {
	case resource == nil:
		why = "the resource is nil"
	case isNil(object):
		why = "the object is nil"
	case object.GetUID() == "":
		why = "the object has no uid: give it one that was read from the server"
	case !strings.Contains(strings.Trim(finalizer, "/"), "/"):
		why = fmt.Sprintf("the finalizer is %q, and not a domain and a name, such as example.com/cleanup", finalizer)
	case noFunction:
		why = "cleanup or work is nil"
	default:
		return nil
	}
	return TerminalError(fmt.Errorf("%w: %s", ErrFinalize, why))
}

// operation is one of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// absent is the null by which a test says that there is nothing.
var absent = json.RawMessage("null")

// withFinalizer adds to a list that is as it was read.
func withFinalizer(list []string, finalizer string) []operation {
	const path = "/metadata/finalizers"
	if len(list) == 0 {
		return []operation{{"test", path, absent}, {"add", path, []string{finalizer}}}
	}
	return []operation{{"test", path, list}, {"add", path + "/-", finalizer}}
}

// withoutFinalizer removes what is at a place, if it is there.
func withoutFinalizer(at int, finalizer string) []operation {
	path := "/metadata/finalizers/" + strconv.Itoa(at)
	return []operation{{"test", path, finalizer}, {Op: "remove", Path: path}}
}

// patchFinalizers sends the operations, if the object is still the same one.
func patchFinalizers[T Finalized](ctx context.Context, resource *rest.Resource[T], object T, verb, finalizer string, operations []operation) (T, error) {
	operations = append([]operation{{"test", "/metadata/uid", object.GetUID()}}, operations...)
	patch, err := json.Marshal(operations)
	if err != nil {
		return object, err
	}
	patched, err := resource.Namespace(object.GetNamespace()).Patch(ctx, object.GetName(), types.JSONPatchType, patch, metav1.PatchOptions{})
	switch {
	case err == nil:
		return patched, nil
	case othersWereFirst(err):
		err = apierrors.NewConflict(resource.ResourceInfo().GroupResource(), object.GetName(),
			fmt.Errorf("%s finalizer %s: the object or its finalizers are not as they were read: %w", verb, finalizer, err))
	default:
		err = fmt.Errorf("%s finalizer %s: %w", verb, finalizer, err)
	}
	return patched, err
}

// othersWereFirst: a test of the patch has failed, or the object is being deleted
// by now and takes no finalizer. What is invalid about other fields is another
// matter.
func othersWereFirst(err error) bool {
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
