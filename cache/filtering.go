package cache

import (
	"fmt"
	"reflect"

	"github.com/thinformer/thinformer/informer"
)

// FilteringResourceEventHandler tells Handler only of the objects that
// FilterFunc chooses. One that comes to be chosen is an OnAdd, one that no longer
// is an OnDelete of the state before.
type FilteringResourceEventHandler struct {
	// FilterFunc answers from the object alone. Of a deletion that nobody saw it
	// is asked by the tombstone, a DeletedFinalStateUnknown. nil chooses all.
	FilterFunc func(obj any) bool
	Handler    ResourceEventHandler
}

var _ ResourceEventHandler = FilteringResourceEventHandler{}

// OnAdd calls Handler's if obj is chosen.
func (r FilteringResourceEventHandler) OnAdd(obj any, isInInitialList bool) {
	if r.chooses(obj) {
		r.Handler.OnAdd(obj, isInInitialList)
	}
}

// OnUpdate calls Handler's OnUpdate if both states are chosen, OnAdd if only the
// new one is, OnDelete with the old one if only that is.
func (r FilteringResourceEventHandler) OnUpdate(oldObj, newObj any) {
	is, was := r.chooses(newObj), r.chooses(oldObj)
	switch {
	case is && was:
		r.Handler.OnUpdate(oldObj, newObj)
	case is:
		r.Handler.OnAdd(newObj, false)
	case was:
		r.Handler.OnDelete(oldObj)
	}
}

// OnDelete calls Handler's if obj is chosen. An informer does better, since it
// knows what was told before: it tells of the deletion exactly when that was
// chosen.
func (r FilteringResourceEventHandler) OnDelete(obj any) {
	if obj = asTombstone(obj); r.chooses(obj) {
		r.Handler.OnDelete(obj)
	}
}

// tellDelete is OnDelete for what was told before in the state seen.
func (r FilteringResourceEventHandler) tellDelete(seen, last any) {
	was, is := seen, last
	if tombstone, ok := last.(DeletedFinalStateUnknown); ok {
		was, is = DeletedFinalStateUnknown{Key: tombstone.Key, Obj: seen}, tombstone
		last = tombstone.Obj
	}
	if !r.chooses(was) {
		return
	}
	if !sameObject(seen, last) && !r.chooses(is) {
		is = was
	}
	tellDelete(r.Handler, seen, is)
}

func (r FilteringResourceEventHandler) chooses(obj any) bool {
	return r.FilterFunc == nil || r.FilterFunc(obj)
}

// tellDelete calls OnDelete, of a filter with what it has to take back. A filter
// is known by its type and not by a method: a struct that embeds one has its
// methods, and perhaps an OnDelete of its own.
func tellDelete(h ResourceEventHandler, seen, last any) {
	switch h := h.(type) {
	case FilteringResourceEventHandler:
		h.tellDelete(seen, last)
	case *FilteringResourceEventHandler:
		h.tellDelete(seen, last)
	case interface{ onDeleteAfter(seen, last any) }:
		h.onDeleteAfter(seen, last)
	default:
		h.OnDelete(last)
	}
}

// wrongWithHandler says why h cannot be called. The error is
// informer.ErrNoHandler.
func wrongWithHandler(h ResourceEventHandler) error {
	if isNil(h) {
		return fmt.Errorf("%w: it is %s", informer.ErrNoHandler, whichNil(h))
	}
	var behind ResourceEventHandler
	switch h := h.(type) {
	case FilteringResourceEventHandler:
		behind = h.Handler
	case *FilteringResourceEventHandler:
		behind = h.Handler
	case interface{ wrongWithHandler() error }:
		return h.wrongWithHandler()
	default:
		return nil
	}
	if err := wrongWithHandler(behind); err != nil {
		return fmt.Errorf("behind a filter: %w", err)
	}
	return nil
}

// sameObject says whether two are one object for sure.
func sameObject(a, b any) bool {
	return reflect.ValueOf(a).Kind() == reflect.Pointer && a == b
}
