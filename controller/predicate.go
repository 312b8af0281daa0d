package controller

import (
	"maps"
	"slices"
)

// Predicate says whether an update of an object is worth a reconcile. Of several
// all have to agree; [Or] is for those of which one is enough. It is asked about
// updates only: what is new, or gone, is always worth one.
type Predicate[T any] func(old, new T) bool

// GenerationChanged agrees where what was asked for has changed, and not only the
// status or the metadata. A deletion that has begun counts as well: the server
// makes it another generation.
//
// It is for kinds that have generations. Custom resources do; where one has no
// status subresource, a change of the status is a generation as well. Config maps,
// secrets, endpoints and some others have none, which is 0 before and after: of
// those it finds no update worth a reconcile.
func GenerationChanged[T interface{ GetGeneration() int64 }](old, new T) bool {
	return old.GetGeneration() != new.GetGeneration()
}

// LabelChanged agrees where a label has changed, come or gone.
func LabelChanged[T interface{ GetLabels() map[string]string }](old, new T) bool {
	return !maps.Equal(old.GetLabels(), new.GetLabels())
}

// AnnotationChanged agrees where an annotation has changed, come or gone.
func AnnotationChanged[T interface{ GetAnnotations() map[string]string }](old, new T) bool {
	return !maps.Equal(old.GetAnnotations(), new.GetAnnotations())
}

// Changed agrees where of gives something else for the new state than for the old
// one. A struct of several values is one projection of them all.
func Changed[T any, K comparable](of func(T) K) Predicate[T] {
	if of == nil {
		return nil // which Run refuses
	}
	return func(old, new T) bool { return of(old) != of(new) }
}

// Or is true if any of them is.
func Or[T any](predicates ...Predicate[T]) Predicate[T] {
	if slices.ContainsFunc(predicates, func(p Predicate[T]) bool { return p == nil }) {
		return nil // which Run refuses
	}
	return func(old, new T) bool {
		for _, p := range predicates {
			if p(old, new) {
				return true
			}
		}
		return false
	}
}
