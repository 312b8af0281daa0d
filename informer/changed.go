package informer

import (
	"fmt"
	"reflect"
)

// Changed is h without the updates that h does not care about: OnUpdate is
// called when of gives something else for the new state than for the old one.
//
//	// When the spec has changed, and not for every status.
//	informer.Changed(func(d *Deployment) int64 { return d.Generation }, h)
//
// A struct of several values is one projection of them all:
//
//	informer.Changed(func(p *Pod) [2]string { return [2]string{p.Spec.NodeName, p.Status.Phase} }, h)
//
// Adds and deletes always pass. So do the updates of a resync, where old and new
// are one object: they come only to a handler that was given a ResyncPeriod, and
// to hold back what was asked for would make that mean nothing.
//
// The old state that h is given is the one before the new one, and not the one
// that h was last told of; between the two of gives the same. Where of panics,
// that update is lost, as with any panic of a handler.
func Changed[T any, K comparable](of func(T) K, h ResourceEventHandler[T]) ResourceEventHandler[T] {
	return changed[T, K]{ResourceEventHandler: h, of: of, pointers: mayPoint(reflect.TypeFor[T]())}
}

// changed has OnAdd and OnDelete from the handler that it holds back.
type changed[T any, K comparable] struct {
	ResourceEventHandler[T]
	of func(T) K
	// pointers: T is a kind of pointer, or may hold one, so that a resync can be
	// told.
	pointers bool
}

func mayPoint(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface
}

func (c changed[T, K]) OnUpdate(oldObj, newObj T) {
	resync := c.pointers && reflect.ValueOf(newObj).Kind() == reflect.Pointer && any(oldObj) == any(newObj)
	if resync || c.of(oldObj) != c.of(newObj) {
		c.ResourceEventHandler.OnUpdate(oldObj, newObj)
	}
}

// OnDeleteAfter lets a filter behind know what was seen.
func (c changed[T, K]) OnDeleteAfter(seen, last T, finalStateUnknown bool) {
	tellDelete(c.ResourceEventHandler, seen, last, finalStateUnknown)
}

// wrongWithHandler is what was wrong with the arguments of Changed.
func (c changed[T, K]) wrongWithHandler() error {
	if c.of == nil {
		return fmt.Errorf("%w: Changed was given no function", ErrNoHandler)
	}
	return wrongWithHandler(c.ResourceEventHandler)
}
