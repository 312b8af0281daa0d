package deep

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EqualExceptTypeMeta reports whether two objects are deeply equal apart from their
// kind and apiVersion, which events contain and list items do not. Objects of
// different types are not equal.
func EqualExceptTypeMeta(x, y any) bool {
	a, b := reflect.ValueOf(x), reflect.ValueOf(y)
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

// withoutKind returns a shallow copy of a struct with an empty TypeMeta.
func withoutKind(object reflect.Value) any {
	copied := reflect.New(object.Type()).Elem()
	copied.Set(object)
	if field, ok := object.Type().FieldByName("TypeMeta"); ok && field.Type == reflect.TypeFor[metav1.TypeMeta]() {
		clearField(copied, field.Index)
	}
	return copied.Interface()
}

// clearField sets a field of a struct to zero, unless it is behind a pointer:
// then it is shared with the original.
func clearField(v reflect.Value, index []int) {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			return
		}
		v = v.Field(i)
	}
	if v.CanSet() {
		v.SetZero()
	}
}
