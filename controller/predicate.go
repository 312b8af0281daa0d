package controller

import (
	"maps"
	"slices"
)

// Predicate reports whether an update of an object needs a reconcile. All predicates
// must return true; use [Or] for alternatives. They apply to updates; creates and
// deletes always reconcile, unless [Watch.FilterCreates] or [Watch.FilterDeletes] is
// used.
type Predicate[T any] func(old, new T) bool

// GenerationChanged reports whether the generation differs: the spec has changed, not
// only the status or the metadata. The start of a deletion counts as well, since the
// server increments the generation.
//
// Use it for kinds that have generations. Custom resources do; without a status
// subresource, a change of the status also increments the generation. Config maps,
// secrets, endpoints and some other kinds have none: their generation is always 0, and
// no update of them would be reconciled.
func GenerationChanged[T interface{ GetGeneration() int64 }](old, new T) bool {
	return old.GetGeneration() != new.GetGeneration()
}

// LabelChanged reports whether a label was added, changed or removed.
func LabelChanged[T interface{ GetLabels() map[string]string }](old, new T) bool {
	return !maps.Equal(old.GetLabels(), new.GetLabels())
}

// AnnotationChanged reports whether an annotation was added, changed or removed.
func AnnotationChanged[T interface{ GetAnnotations() map[string]string }](old, new T) bool {
	return !maps.Equal(old.GetAnnotations(), new.GetAnnotations())
}

// Changed returns a predicate that reports whether value returns different results for the
// old and the new state. To compare several values, value can return a struct.
func Changed[T any, K comparable](value func(T) K) Predicate[T] {
	if value == nil {
		return nil // Run rejects it
	}
	return func(old, new T) bool { return value(old) != value(new) }
}

// Or returns a predicate that is true if any of the given ones is.
func Or[T any](predicates ...Predicate[T]) Predicate[T] {
	if slices.ContainsFunc(predicates, func(p Predicate[T]) bool { return p == nil }) {
		return nil // Run rejects it
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
