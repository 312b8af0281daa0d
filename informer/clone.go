package informer

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/thinformer/thinformer/internal/deep"
	"github.com/thinformer/thinformer/internal/nilcheck"
)

// Clone returns a deep copy of obj. The objects of an informer are shared and must
// not be modified; the copy may be modified. Clone of nil is nil.
//
// If the type of obj declares a DeepCopy or DeepCopyObject method, Clone calls it.
// A method that is promoted from an embedded field does not count, since it would
// copy only that field. Any other type is copied by reflection, so a type needs no
// generated code. Cyclic references are preserved.
//
// Reflection copies unexported fields, map keys, functions and channels by
// assignment. A pointer to a struct that has only unexported fields and is not
// comparable is shared. A mutex is unlocked in the copy. Quantities and the
// numbers of math/big are copied with their own methods. A type with other
// unexported mutable state needs its own DeepCopy method; a method of the type of
// a field is not enough.
func Clone[T any](obj T) T {
	if nilcheck.IsNilPointer(obj) {
		return obj
	}
	if copier, ok := any(obj).(DeepCopier[T]); ok && !mayBePromoted[DeepCopier[T]](obj) {
		return copier.DeepCopy()
	}
	if copier, ok := any(obj).(deepCopyObject); ok && !mayBePromoted[deepCopyObject](obj) {
		if out, ok := any(copier.DeepCopyObject()).(T); ok && reflect.TypeOf(out) == reflect.TypeOf(obj) {
			return out
		}
	}
	return deep.Copy(obj)
}

// DeepCopier is implemented by types that copy themselves, such as those with generated
// code.
type DeepCopier[T any] interface {
	// DeepCopy returns a copy that shares no mutable state with the receiver.
	DeepCopy() T
}

// deepCopyObject is the copying part of [runtime.Object].
type deepCopyObject interface{ DeepCopyObject() runtime.Object }

// mayBePromoted reports whether an embedded field of obj's struct has the methods
// of I, so that obj may have them by promotion only. The struct may still declare
// its own methods; not calling them is the safe choice.
func mayBePromoted[I any](obj any) bool {
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
