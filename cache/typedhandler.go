package cache

import (
	"fmt"
	"reflect"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/thinformer/thinformer/informer"
)

// TypedResourceEventHandler is a ResourceEventHandler for objects of one type.
type TypedResourceEventHandler[T Object] interface {
	OnAdd(obj T, isInInitialList bool)
	OnUpdate(oldObj, newObj T)
	OnDelete(obj DeletedObject[T])
}

// TypedResourceEventHandlerFuncs makes a TypedResourceEventHandler of functions,
// each of which may be nil.
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

// TypedResourceEventHandlerDetailedFuncs are TypedResourceEventHandlerFuncs whose
// AddFunc is told whether the object was there from the beginning.
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

// typedHandler is a typed handler as an untyped informer takes it. What is no T
// is reported, and not told.
type typedHandler[T Object] struct{ handler TypedResourceEventHandler[T] }

func (h *typedHandler[T]) OnAdd(obj any, isInInitialList bool) {
	if t, ok := obj.(T); ok {
		h.handler.OnAdd(t, isInInitialList)
		return
	}
	h.refuse("OnAdd", obj)
}

func (h *typedHandler[T]) OnUpdate(oldObj, newObj any) {
	before, wasT := oldObj.(T)
	after, isT := newObj.(T)
	switch {
	case wasT && isT:
		h.handler.OnUpdate(before, after)
	case wasT:
		h.refuse("OnUpdate", newObj)
	default:
		h.refuse("OnUpdate", oldObj)
	}
}

func (h *typedHandler[T]) OnDelete(obj any) {
	if deleted, ok := deletedObject[T](obj); ok {
		h.handler.OnDelete(deleted)
		return
	}
	h.refuse("OnDelete", obj)
}

// onDeleteAfter is OnDelete for what was told before in the state seen.
func (h *typedHandler[T]) onDeleteAfter(seen, last any) {
	before, wasT := seen.(T)
	deleted, ok := deletedObject[T](last)
	if wasT && ok {
		tellTypedDelete(h.handler, before, deleted)
		return
	}
	h.OnDelete(last)
}

func (h *typedHandler[T]) refuse(callback string, obj any) {
	if tombstone, ok := obj.(DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	utilruntime.HandleError(fmt.Errorf("telling %T of an %s: it takes %v, and the object is a %T",
		h.handler, callback, reflect.TypeFor[T](), obj))
}

func (h *typedHandler[T]) wrongWithHandler() error {
	return wrongWithTypedHandler(h.handler)
}

func wrongWithTypedHandler[T Object](h TypedResourceEventHandler[T]) error {
	if isNil(h) {
		return fmt.Errorf("%w: it is %s", informer.ErrNoHandler, whichNil(h))
	}
	var behind TypedResourceEventHandler[T]
	switch filter := h.(type) {
	case TypedFilteringResourceEventHandler[T]:
		behind = filter.Handler
	case *TypedFilteringResourceEventHandler[T]:
		behind = filter.Handler
	default:
		return nil
	}
	if err := wrongWithTypedHandler(behind); err != nil {
		return fmt.Errorf("behind a filter: %w", err)
	}
	return nil
}
