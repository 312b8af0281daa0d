package informer

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sameContent compares two objects without what they say of their kind, which
// events do and items of a list do not. They may be of any types.
func sameContent(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() || a.Type() != b.Type() {
		return a.IsValid() == b.IsValid() && !a.IsValid()
	}
	if a.Kind() != reflect.Pointer || a.Type().Elem().Kind() != reflect.Struct {
		return reflect.DeepEqual(a.Interface(), b.Interface())
	}
	if a.IsNil() || b.IsNil() {
		return a.IsNil() && b.IsNil()
	}
	return reflect.DeepEqual(withoutKind(a.Elem()), withoutKind(b.Elem()))
}

// withoutKind is a copy of a struct that shares all but its own fields with it.
func withoutKind(object reflect.Value) any {
	bare := reflect.New(object.Type()).Elem()
	bare.Set(object)
	if field, ok := object.Type().FieldByName("TypeMeta"); ok && field.Type == reflect.TypeFor[metav1.TypeMeta]() {
		clearOwn(bare, field.Index)
	}
	return bare.Interface()
}

// clearOwn clears a field of a struct, unless it lies behind a pointer: then it
// is not the struct's own.
func clearOwn(of reflect.Value, index []int) {
	for _, i := range index {
		if of.Kind() == reflect.Pointer {
			return
		}
		of = of.Field(i)
	}
	if of.CanSet() {
		of.SetZero()
	}
}
