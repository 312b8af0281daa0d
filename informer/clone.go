package informer

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
)

// Clone returns a copy of obj that shares nothing with it which could be
// changed: what an informer hands out belongs to everybody, and a clone is the
// caller's own. nil stays nil.
//
// Where obj's type has a DeepCopy or a DeepCopyObject of its own, that is what
// makes the copy; one that the type has only from a field that it embeds would
// copy that field alone, and does not count. Any other type is copied by
// reflection: a type needs no generated code. What refers to itself is copied
// into what refers to itself.
//
// By reflection, fields that a type hides from other packages are copied as an
// assignment copies them, and so are the keys of maps, functions and channels; a
// struct behind a pointer that hides all of its fields, and cannot be compared,
// is shared. A mutex is not locked in the copy; quantities and the numbers of
// math/big are copied as they are to be. Where anything in obj hides more that can
// be changed, obj's type needs a DeepCopy of its own, which no field's type can
// replace.
func Clone[T any](obj T) T {
	if v := reflect.ValueOf(obj); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return obj
	}
	if own, ok := any(obj).(interface{ DeepCopy() T }); ok && !lent[interface{ DeepCopy() T }](obj) {
		return own.DeepCopy()
	}
	if own, ok := any(obj).(deepCopyObject); ok && !lent[deepCopyObject](obj) {
		if out, ok := any(own.DeepCopyObject()).(T); ok && reflect.TypeOf(out) == reflect.TypeOf(obj) {
			return out
		}
	}
	return deepCopy(obj)
}

// deepCopyObject is the part of [runtime.Object] that copies.
type deepCopyObject interface{ DeepCopyObject() runtime.Object }

// lent says whether a field that obj's struct embeds could have lent it the
// methods of I. If one could, obj may still have declared its own; not to use it
// is the safe side.
func lent[I any](obj any) bool {
	t := reflect.TypeOf(obj)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	methods := reflect.TypeFor[I]()
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Anonymous && (field.Type.Implements(methods) || reflect.PointerTo(field.Type).Implements(methods)) {
			return true
		}
	}
	return false
}
