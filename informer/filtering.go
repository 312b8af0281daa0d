package informer

import (
	"fmt"
	"reflect"
)

// FilteringResourceEventHandler passes only the objects that FilterFunc accepts to
// Handler. An object that becomes accepted is an OnAdd; an object that is no longer
// accepted is an OnDelete of the previous state. So for each accepted object,
// Handler receives OnAdd, then OnUpdates, then OnDelete. A deletion is an OnDelete
// if the last reported state was accepted, whatever the final state is.
//
// Earlier filters are cheaper: the server applies a selector in
// Options.TweakListOptions, and Options.Filter keeps objects out of the store. This
// handler is for handlers of one informer that need different objects.
type FilteringResourceEventHandler[T any] struct {
	// FilterFunc must depend on the object only. For an update it is called with the
	// old and the new state. If it panics, that notification is lost, as with any
	// panic of a handler. nil accepts all objects.
	FilterFunc func(T) bool
	Handler    ResourceEventHandler[T]
}

var _ ResourceEventHandler[int] = FilteringResourceEventHandler[int]{}

// OnAdd calls Handler.OnAdd if obj is accepted.
func (f FilteringResourceEventHandler[T]) OnAdd(obj T, isInInitialList bool) {
	if f.accepts(obj) {
		f.Handler.OnAdd(obj, isInInitialList)
	}
}

// OnUpdate calls Handler.OnUpdate if both states are accepted, OnAdd if only the
// new one is, and OnDelete with the old state if only that is.
func (f FilteringResourceEventHandler[T]) OnUpdate(oldObj, newObj T) {
	was, is := f.accepts(oldObj), f.accepts(newObj)
	switch {
	case was && is:
		f.Handler.OnUpdate(oldObj, newObj)
	case is:
		f.Handler.OnAdd(newObj, false)
	case was:
		f.Handler.OnDelete(oldObj, false)
	}
}

// OnDelete calls Handler.OnDelete if obj is accepted. An informer uses the last
// reported state instead, which is more precise.
func (f FilteringResourceEventHandler[T]) OnDelete(obj T, finalStateUnknown bool) {
	if f.accepts(obj) {
		f.Handler.OnDelete(obj, finalStateUnknown)
	}
}

// onDeleteAfter is OnDelete for an object whose last state differs from the state
// that was reported before: the deletion changed it, or an update was merged into
// the delete.
func (f FilteringResourceEventHandler[T]) onDeleteAfter(seen, last T, finalStateUnknown bool) {
	if !f.accepts(seen) {
		return
	}
	if !f.accepts(last) {
		last = seen
	}
	callOnDelete(f.Handler, seen, last, finalStateUnknown)
}

func (f FilteringResourceEventHandler[T]) accepts(obj T) bool {
	return f.FilterFunc == nil || f.FilterFunc(obj)
}

// checkHandler returns the error in the wrapped handler.
func (f FilteringResourceEventHandler[T]) checkHandler() error {
	return checkHandler(f.Handler)
}

// Changed returns h without the updates in which nothing relevant has changed:
// OnUpdate is called only if projection returns different values for the old and the
// new state.
//
//	// Drops updates that change only the status.
//	informer.Changed(func(d *Deployment) int64 { return d.Generation }, h)
//
// A struct or array combines several values:
//
//	informer.Changed(func(p *Pod) [2]string { return [2]string{p.Spec.NodeName, p.Status.Phase} }, h)
//
// Adds and deletes always pass. So do the updates of a resync, in which old and
// new are the same object: only handlers with a ResyncPeriod receive them, and
// dropping them would make that option useless.
//
// The old state that h receives is the state directly before the new one, which
// is not necessarily the last state that h received; between the two, projection
// returns equal values. If projection panics, that update is lost, as with any panic
// of a handler.
func Changed[T any, K comparable](projection func(T) K, h ResourceEventHandler[T]) ResourceEventHandler[T] {
	return changed[T, K]{ResourceEventHandler: h, projection: projection, pointers: mayHoldPointer(reflect.TypeFor[T]())}
}

// changed inherits OnAdd and OnDelete from the wrapped handler.
type changed[T any, K comparable] struct {
	ResourceEventHandler[T]
	projection func(T) K
	// pointers reports whether T is a pointer or interface type, so that a resync
	// can be recognized.
	pointers bool
}

func mayHoldPointer(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface
}

func (c changed[T, K]) OnUpdate(oldObj, newObj T) {
	resync := c.pointers && reflect.ValueOf(newObj).Kind() == reflect.Pointer && any(oldObj) == any(newObj)
	if resync || c.projection(oldObj) != c.projection(newObj) {
		c.ResourceEventHandler.OnUpdate(oldObj, newObj)
	}
}

// OnDeleteWithState implements DeletionHandler.
func (c changed[T, K]) OnDeleteWithState(seen, last T, finalStateUnknown bool) {
	callOnDelete(c.ResourceEventHandler, seen, last, finalStateUnknown)
}

// checkHandler returns the error in the arguments of Changed.
func (c changed[T, K]) checkHandler() error {
	if c.projection == nil {
		return fmt.Errorf("%w: the function of Changed is nil", ErrNoHandler)
	}
	return checkHandler(c.ResourceEventHandler)
}
