// Package nilcheck detects interface values that hold nil.
//
//	var p *Pod
//	var obj any = p  // obj != nil, and obj's methods panic
//	nilcheck.IsNil(obj) == true
package nilcheck

import "reflect"

// IsNil reports whether v is nil, or holds a nil pointer, map, slice, function
// or channel. It is for objects.
func IsNil(v any) bool {
	switch value := reflect.ValueOf(v); value.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return value.IsNil()
	default:
		return false
	}
}

// IsNilPointer reports whether v is nil, or holds a nil pointer or function. It is for
// values whose methods are called, such as handlers: the methods of a type that is a map
// or a slice work on nil.
func IsNilPointer(v any) bool {
	switch reflect.ValueOf(v).Kind() {
	case reflect.Map, reflect.Slice, reflect.Chan:
		return false
	default:
		return IsNil(v)
	}
}
