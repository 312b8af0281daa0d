package informer

import (
	"fmt"
	"reflect"
)

// ResourceEventHandler is told what happens to the objects of an informer, one
// call after another, on a goroutine of its own. For each key it sees a legal
// history: OnAdd, then OnUpdates, then OnDelete; old and new are states that
// follow each other in what this handler has seen.
//
// Objects are shared with everybody who reads the informer: do not change one
// ([Clone] makes a copy).
type ResourceEventHandler[T any] interface {
	// OnAdd: obj is there. isInInitialList says that it was there when the
	// handler was added, or when the informer began.
	OnAdd(obj T, isInInitialList bool)
	// OnUpdate: what was oldObj is newObj. In a resync both are the same.
	OnUpdate(oldObj, newObj T)
	// OnDelete: obj is gone. finalStateUnknown says that nobody saw it go: obj
	// is then the last state that was known.
	OnDelete(obj T, finalStateUnknown bool)
}

// ResourceEventHandlerFuncs makes a ResourceEventHandler of functions, each of
// which may be nil.
type ResourceEventHandlerFuncs[T any] struct {
	AddFunc    func(obj T, isInInitialList bool)
	UpdateFunc func(oldObj, newObj T)
	DeleteFunc func(obj T, finalStateUnknown bool)
}

var _ ResourceEventHandler[int] = ResourceEventHandlerFuncs[int]{}

// OnAdd calls AddFunc.
func (f ResourceEventHandlerFuncs[T]) OnAdd(obj T, isInInitialList bool) {
	if f.AddFunc != nil {
		f.AddFunc(obj, isInInitialList)
	}
}

// OnUpdate calls UpdateFunc.
func (f ResourceEventHandlerFuncs[T]) OnUpdate(oldObj, newObj T) {
	if f.UpdateFunc != nil {
		f.UpdateFunc(oldObj, newObj)
	}
}

// OnDelete calls DeleteFunc.
func (f ResourceEventHandlerFuncs[T]) OnDelete(obj T, finalStateUnknown bool) {
	if f.DeleteFunc != nil {
		f.DeleteFunc(obj, finalStateUnknown)
	}
}

// DeletionHandler is a ResourceEventHandler that passes calls on to another one,
// and wants to know as well what that one has seen, since that is what it has to
// take back: one that chooses as [FilteringResourceEventHandler] does.
type DeletionHandler[T any] interface {
	ResourceEventHandler[T]
	// OnDeleteAfter is called in the place of OnDelete. seen is what the handler
	// was told of last, last is the object's last state: it was changed in the act
	// of being deleted, or before, and that was merged into the delete.
	OnDeleteAfter(seen, last T, finalStateUnknown bool)
}

// tellDelete calls OnDelete with the last state of an object. A filter is told as
// well what its handler has seen before, since that is what it has to take back.
// The filter is known by its type, and not by a method: a struct that embeds it
// has its methods, and perhaps an OnDelete of its own.
func tellDelete[T any](h ResourceEventHandler[T], seen, last T, finalStateUnknown bool) {
	switch h := h.(type) {
	case FilteringResourceEventHandler[T]:
		h.tellDelete(seen, last, finalStateUnknown)
	case *FilteringResourceEventHandler[T]:
		h.tellDelete(seen, last, finalStateUnknown)
	case DeletionHandler[T]:
		h.OnDeleteAfter(seen, last, finalStateUnknown)
	default:
		h.OnDelete(last, finalStateUnknown)
	}
}

// wrongWithHandler says why h cannot be called: it is nil, or a nil pointer, or
// the handler that it passes calls on to is. The error is ErrNoHandler.
func wrongWithHandler[T any](h ResourceEventHandler[T]) error {
	if h == nil {
		return ErrNoHandler
	}
	if v := reflect.ValueOf(h); v.Kind() == reflect.Pointer && v.IsNil() {
		return fmt.Errorf("%w: it is a nil %T", ErrNoHandler, h)
	}
	if outer, ok := h.(interface{ wrongWithHandler() error }); ok {
		if err := outer.wrongWithHandler(); err != nil {
			return fmt.Errorf("%T: %w", h, err)
		}
	}
	return nil
}
