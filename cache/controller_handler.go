// The work is done by package informer, which calls the handlers.

package cache

import (
	"fmt"
	"reflect"

	"github.com/thinformer/thinformer/cache/internal/metadata"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/nilcheck"
)

// ResourceEventHandler receives the changes of the objects of an informer, one
// call at a time. For each key it receives OnAdd, then OnUpdates, then
// OnDelete.
type ResourceEventHandler interface {
	// OnAdd is called when obj exists. isInInitialList is true if obj existed
	// when the handler was added or the informer started.
	OnAdd(obj any, isInInitialList bool)
	// OnUpdate is called when oldObj has become newObj. In a resync both are
	// the same.
	OnUpdate(oldObj, newObj any)
	// OnDelete is called when obj was deleted. If the informer missed the
	// deletion event, obj is a DeletedFinalStateUnknown.
	OnDelete(obj any)
}

// ResourceEventHandlerFuncs is a ResourceEventHandler made of functions, each
// of which may be nil.
type ResourceEventHandlerFuncs struct {
	AddFunc    func(obj any)
	UpdateFunc func(oldObj, newObj any)
	DeleteFunc func(obj any)
}

// OnAdd calls AddFunc.
func (r ResourceEventHandlerFuncs) OnAdd(obj any, _ bool) {
	if r.AddFunc != nil {
		r.AddFunc(obj)
	}
}

// OnUpdate calls UpdateFunc.
func (r ResourceEventHandlerFuncs) OnUpdate(oldObj, newObj any) {
	if r.UpdateFunc != nil {
		r.UpdateFunc(oldObj, newObj)
	}
}

// OnDelete calls DeleteFunc.
func (r ResourceEventHandlerFuncs) OnDelete(obj any) {
	if r.DeleteFunc != nil {
		r.DeleteFunc(asTombstone(obj))
	}
}

// ResourceEventHandlerDetailedFuncs is like ResourceEventHandlerFuncs, but
// AddFunc also receives isInInitialList.
type ResourceEventHandlerDetailedFuncs struct {
	AddFunc    func(obj any, isInInitialList bool)
	UpdateFunc func(oldObj, newObj any)
	DeleteFunc func(obj any)
}

// OnAdd calls AddFunc.
func (r ResourceEventHandlerDetailedFuncs) OnAdd(obj any, isInInitialList bool) {
	if r.AddFunc != nil {
		r.AddFunc(obj, isInInitialList)
	}
}

// OnUpdate calls UpdateFunc.
func (r ResourceEventHandlerDetailedFuncs) OnUpdate(oldObj, newObj any) {
	if r.UpdateFunc != nil {
		r.UpdateFunc(oldObj, newObj)
	}
}

// OnDelete calls DeleteFunc.
func (r ResourceEventHandlerDetailedFuncs) OnDelete(obj any) {
	if r.DeleteFunc != nil {
		r.DeleteFunc(asTombstone(obj))
	}
}

var (
	_ ResourceEventHandler = ResourceEventHandlerFuncs{}
	_ ResourceEventHandler = ResourceEventHandlerDetailedFuncs{}
)

// FilteringResourceEventHandler passes on only the events of objects that
// FilterFunc accepts. An object that becomes accepted is an OnAdd. An object
// that is no longer accepted is an OnDelete with its previous state.
type FilteringResourceEventHandler struct {
	// FilterFunc must depend on the object only. For a deletion that the
	// informer missed, it is called with the DeletedFinalStateUnknown. If nil,
	// all objects are accepted.
	FilterFunc func(obj any) bool
	Handler    ResourceEventHandler
}

var _ ResourceEventHandler = FilteringResourceEventHandler{}

// OnAdd calls Handler.OnAdd if obj is accepted.
func (r FilteringResourceEventHandler) OnAdd(obj any, isInInitialList bool) {
	if r.matches(obj) {
		r.Handler.OnAdd(obj, isInInitialList)
	}
}

// OnUpdate calls Handler.OnUpdate if both states are accepted, OnAdd if only
// the new state is, and OnDelete with the old state if only that is.
func (r FilteringResourceEventHandler) OnUpdate(oldObj, newObj any) {
	matches, matched := r.matches(newObj), r.matches(oldObj)
	switch {
	case matches && matched:
		r.Handler.OnUpdate(oldObj, newObj)
	case matches:
		r.Handler.OnAdd(newObj, false)
	case matched:
		r.Handler.OnDelete(oldObj)
	}
}

// OnDelete calls Handler.OnDelete if obj is accepted. An informer instead calls
// it exactly when the state that the handler received before was accepted.
func (r FilteringResourceEventHandler) OnDelete(obj any) {
	if obj = asTombstone(obj); r.matches(obj) {
		r.Handler.OnDelete(obj)
	}
}

// callOnDelete is OnDelete with two states: known, which the handler received
// before, and last, which the deletion reports.
func (r FilteringResourceEventHandler) callOnDelete(known, last any) {
	before, final := known, last
	if tombstone, ok := last.(DeletedFinalStateUnknown); ok {
		before, final = DeletedFinalStateUnknown{Key: tombstone.Key, Obj: known}, tombstone
		last = tombstone.Obj
	}
	if !r.matches(before) {
		return
	}
	if !sameObject(known, last) && !r.matches(final) {
		final = before
	}
	callOnDelete(r.Handler, known, final)
}

func (r FilteringResourceEventHandler) matches(obj any) bool {
	return r.FilterFunc == nil || r.FilterFunc(obj)
}

// callOnDelete calls OnDelete; for a filter it also passes the state that
// the handler received before. A filter is recognized by its type and not by a method,
// because a struct that embeds a filter has its methods and may override
// OnDelete.
func callOnDelete(h ResourceEventHandler, known, last any) {
	switch h := h.(type) {
	case FilteringResourceEventHandler:
		h.callOnDelete(known, last)
	case *FilteringResourceEventHandler:
		h.callOnDelete(known, last)
	case interface{ onDeleteAfter(known, last any) }:
		h.onDeleteAfter(known, last)
	default:
		h.OnDelete(last)
	}
}

// validateHandler returns an error if h cannot be called. The error wraps
// informer.ErrNoHandler.
func validateHandler(h ResourceEventHandler) error {
	if nilcheck.IsNilPointer(h) {
		return fmt.Errorf("%w: it is %s", informer.ErrNoHandler, metadata.DescribeNil(h))
	}
	var inner ResourceEventHandler
	switch h := h.(type) {
	case FilteringResourceEventHandler:
		inner = h.Handler
	case *FilteringResourceEventHandler:
		inner = h.Handler
	case interface{ validate() error }:
		return h.validate()
	default:
		return nil
	}
	if err := validateHandler(inner); err != nil {
		return fmt.Errorf("in a filter: %w", err)
	}
	return nil
}

// sameObject reports whether a and b are pointers to the same object.
func sameObject(a, b any) bool {
	return reflect.ValueOf(a).Kind() == reflect.Pointer && a == b
}

// DeletionHandlingMetaNamespaceKeyFunc is MetaNamespaceKeyFunc for the argument
// of OnDelete: for a tombstone it returns the key in the tombstone.
func DeletionHandlingMetaNamespaceKeyFunc(obj any) (string, error) {
	if tombstone, ok := tombstoneOf(obj); ok {
		return tombstone.Key, nil
	}
	return MetaNamespaceKeyFunc(obj)
}

// DeletionHandlingObjectToName is ObjectToName for the argument of OnDelete:
// for a tombstone it parses the key in the tombstone.
func DeletionHandlingObjectToName(obj any) (ObjectName, error) {
	if tombstone, ok := tombstoneOf(obj); ok {
		return ParseObjectName(tombstone.Key)
	}
	return ObjectToName(obj)
}
