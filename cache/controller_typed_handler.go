// The work is done by package informer, which calls the handlers. This file converts their arguments.

package cache

import (
	"fmt"
	"reflect"
	"strings"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/thinformer/thinformer/cache/internal/metadata"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/nilcheck"
)

// TypedResourceEventHandler is a ResourceEventHandler for objects of one type.
type TypedResourceEventHandler[T Object] interface {
	OnAdd(obj T, isInInitialList bool)
	OnUpdate(oldObj, newObj T)
	OnDelete(obj DeletedObject[T])
}

// TypedResourceEventHandlerFuncs is a TypedResourceEventHandler made of
// functions, each of which may be nil.
type TypedResourceEventHandlerFuncs[T Object] struct {
	AddFunc    func(obj T)
	UpdateFunc func(oldObj, newObj T)
	DeleteFunc func(obj DeletedObject[T])
}

// OnAdd calls AddFunc.
func (r TypedResourceEventHandlerFuncs[T]) OnAdd(obj T, _ bool) {
	if r.AddFunc != nil {
		r.AddFunc(obj)
	}
}

// OnUpdate calls UpdateFunc.
func (r TypedResourceEventHandlerFuncs[T]) OnUpdate(oldObj, newObj T) {
	if r.UpdateFunc != nil {
		r.UpdateFunc(oldObj, newObj)
	}
}

// OnDelete calls DeleteFunc.
func (r TypedResourceEventHandlerFuncs[T]) OnDelete(obj DeletedObject[T]) {
	if r.DeleteFunc != nil {
		r.DeleteFunc(obj)
	}
}

// TypedResourceEventHandlerDetailedFuncs is like
// TypedResourceEventHandlerFuncs, but AddFunc also receives isInInitialList.
type TypedResourceEventHandlerDetailedFuncs[T Object] struct {
	AddFunc    func(obj T, isInInitialList bool)
	UpdateFunc func(oldObj, newObj T)
	DeleteFunc func(obj DeletedObject[T])
}

// OnAdd calls AddFunc.
func (r TypedResourceEventHandlerDetailedFuncs[T]) OnAdd(obj T, isInInitialList bool) {
	if r.AddFunc != nil {
		r.AddFunc(obj, isInInitialList)
	}
}

// OnUpdate calls UpdateFunc.
func (r TypedResourceEventHandlerDetailedFuncs[T]) OnUpdate(oldObj, newObj T) {
	if r.UpdateFunc != nil {
		r.UpdateFunc(oldObj, newObj)
	}
}

// OnDelete calls DeleteFunc.
func (r TypedResourceEventHandlerDetailedFuncs[T]) OnDelete(obj DeletedObject[T]) {
	if r.DeleteFunc != nil {
		r.DeleteFunc(obj)
	}
}

// typedHandler adapts a typed handler to an untyped informer. An object that is
// not a T is reported and skipped.
type typedHandler[T Object] struct{ handler TypedResourceEventHandler[T] }

func (h *typedHandler[T]) OnAdd(obj any, isInInitialList bool) {
	if t, ok := obj.(T); ok {
		h.handler.OnAdd(t, isInInitialList)
		return
	}
	h.reportWrongType("OnAdd", obj)
}

func (h *typedHandler[T]) OnUpdate(oldObj, newObj any) {
	before, wasT := oldObj.(T)
	after, isT := newObj.(T)
	switch {
	case wasT && isT:
		h.handler.OnUpdate(before, after)
	case wasT:
		h.reportWrongType("OnUpdate", newObj)
	default:
		h.reportWrongType("OnUpdate", oldObj)
	}
}

func (h *typedHandler[T]) OnDelete(obj any) {
	if deleted, ok := deletedObject[T](obj); ok {
		h.handler.OnDelete(deleted)
		return
	}
	h.reportWrongType("OnDelete", obj)
}

// onDeleteAfter is OnDelete with two states: known, which the handler received
// before, and last, which the deletion reports.
func (h *typedHandler[T]) onDeleteAfter(known, last any) {
	before, wasT := known.(T)
	deleted, ok := deletedObject[T](last)
	if wasT && ok {
		callTypedOnDelete(h.handler, before, deleted)
		return
	}
	h.OnDelete(last)
}

func (h *typedHandler[T]) reportWrongType(callback string, obj any) {
	if tombstone, ok := obj.(DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	utilruntime.HandleError(fmt.Errorf("skipped a notification for handler %T: %s got an object of unexpected type, want %v, got %T",
		h.handler, callback, reflect.TypeFor[T](), obj))
}

func (h *typedHandler[T]) validate() error {
	return validateTypedHandler(h.handler)
}

func validateTypedHandler[T Object](h TypedResourceEventHandler[T]) error {
	if nilcheck.IsNilPointer(h) {
		return fmt.Errorf("%w: it is %s", informer.ErrNoHandler, metadata.DescribeNil(h))
	}
	var inner TypedResourceEventHandler[T]
	switch filter := h.(type) {
	case TypedFilteringResourceEventHandler[T]:
		inner = filter.Handler
	case *TypedFilteringResourceEventHandler[T]:
		inner = filter.Handler
	default:
		return nil
	}
	if err := validateTypedHandler(inner); err != nil {
		return fmt.Errorf("in a filter: %w", err)
	}
	return nil
}

// Object is the constraint of objects in typed handlers. Every type with
// Kubernetes metadata satisfies it. It is comparable so that the zero value,
// such as a nil pointer, can be recognized.
type Object interface {
	comparable

	GetName() string
	GetNamespace() string
}

// DeletedObject describes a deletion to a typed handler. Its methods never
// fail, even if only the key of the object is known.
type DeletedObject[T Object] struct {
	// OptionalObj is the deleted object. If FinalStateUnknown is set, it may be
	// out of date or the zero value.
	OptionalObj T
	// FinalStateUnknown is set if the informer missed the deletion event. It
	// contains the key.
	FinalStateUnknown *DeletedFinalStateUnknown
}

// deletedObject converts the argument of an untyped OnDelete. ok is false if it
// does not concern a T.
func deletedObject[T Object](obj any) (deleted DeletedObject[T], ok bool) {
	tombstone, unknown := obj.(DeletedFinalStateUnknown)
	if unknown {
		deleted.FinalStateUnknown = &tombstone
		if obj = tombstone.Obj; obj == nil {
			return deleted, true
		}
	}
	deleted.OptionalObj, ok = obj.(T)
	return deleted, ok
}

// GetObjectName returns the namespace and the name of the deleted object.
func (d DeletedObject[T]) GetObjectName() ObjectName {
	if d.FinalStateUnknown != nil {
		namespace, name, found := strings.Cut(d.FinalStateUnknown.Key, "/")
		if !found {
			return ObjectName{Name: namespace}
		}
		return ObjectName{Namespace: namespace, Name: name}
	}
	var none T
	if d.OptionalObj == none {
		return ObjectName{}
	}
	return ObjectName{Namespace: d.OptionalObj.GetNamespace(), Name: d.OptionalObj.GetName()}
}

// GetName returns the name of the deleted object.
func (d DeletedObject[T]) GetName() string { return d.GetObjectName().Name }

// GetNamespace returns the namespace of the deleted object, or "" for a
// cluster-scoped object.
func (d DeletedObject[T]) GetNamespace() string { return d.GetObjectName().Namespace }

// GetKey returns the key under which the object was stored.
func (d DeletedObject[T]) GetKey() string {
	if d.FinalStateUnknown != nil {
		return d.FinalStateUnknown.Key
	}
	return d.GetObjectName().String()
}

// TypedFilteringResourceEventHandler is a FilteringResourceEventHandler for
// objects of one type.
type TypedFilteringResourceEventHandler[T Object] struct {
	// FilterFunc must depend on the object only. If only the key of a deleted
	// object is known, it is called with the zero T. If nil, all objects are
	// accepted.
	FilterFunc func(obj T) bool
	Handler    TypedResourceEventHandler[T]
}

// OnAdd calls Handler.OnAdd if obj is accepted.
func (r TypedFilteringResourceEventHandler[T]) OnAdd(obj T, isInInitialList bool) {
	if r.matches(obj) {
		r.Handler.OnAdd(obj, isInInitialList)
	}
}

// OnUpdate calls Handler.OnUpdate if both states are accepted, OnAdd if only
// the new state is, and OnDelete with the old state if only that is.
func (r TypedFilteringResourceEventHandler[T]) OnUpdate(oldObj, newObj T) {
	matches, matched := r.matches(newObj), r.matches(oldObj)
	switch {
	case matches && matched:
		r.Handler.OnUpdate(oldObj, newObj)
	case matches:
		r.Handler.OnAdd(newObj, false)
	case matched:
		r.Handler.OnDelete(DeletedObject[T]{OptionalObj: oldObj})
	}
}

// OnDelete calls Handler.OnDelete if the object is accepted. An informer
// instead calls it exactly when the state that the handler received before was
// accepted.
func (r TypedFilteringResourceEventHandler[T]) OnDelete(obj DeletedObject[T]) {
	if r.matches(obj.OptionalObj) {
		r.Handler.OnDelete(obj)
	}
}

// callOnDelete is OnDelete with the state that the handler received before.
func (r TypedFilteringResourceEventHandler[T]) callOnDelete(known T, deleted DeletedObject[T]) {
	if !r.matches(known) {
		return
	}
	if deleted.OptionalObj != known && !r.matches(deleted.OptionalObj) {
		deleted.OptionalObj = known
		if unknown := deleted.FinalStateUnknown; unknown != nil {
			deleted.FinalStateUnknown = &DeletedFinalStateUnknown{Key: unknown.Key, Obj: known}
		}
	}
	callTypedOnDelete(r.Handler, known, deleted)
}

func (r TypedFilteringResourceEventHandler[T]) matches(obj T) bool {
	return r.FilterFunc == nil || r.FilterFunc(obj)
}

// callTypedOnDelete is callOnDelete for typed handlers.
func callTypedOnDelete[T Object](h TypedResourceEventHandler[T], known T, deleted DeletedObject[T]) {
	switch h := h.(type) {
	case TypedFilteringResourceEventHandler[T]:
		h.callOnDelete(known, deleted)
	case *TypedFilteringResourceEventHandler[T]:
		h.callOnDelete(known, deleted)
	default:
		h.OnDelete(deleted)
	}
}
