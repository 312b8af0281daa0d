package objectlist

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
)

// Typed returns the objects as values of type T, or an error if one has another
// type. It passes an error on. The arguments are the results of a lister.
func Typed[T runtime.Object](objects []runtime.Object, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	var all []T
	for _, object := range objects {
		typed, err := One[T](object, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, typed)
	}
	return all, nil
}

// One is Typed for one object.
func One[T runtime.Object](object runtime.Object, err error) (typed T, _ error) {
	if err != nil {
		return typed, err
	}
	typed, ok := object.(T)
	if !ok {
		return typed, fmt.Errorf("the store has a %T, not a %T", object, typed)
	}
	return typed, nil
}

// Untyped returns the objects as values of type runtime.Object. It passes an
// error on.
func Untyped[T runtime.Object](objects []T, err error) ([]runtime.Object, error) {
	if err != nil {
		return nil, err
	}
	all := make([]runtime.Object, len(objects))
	for i, object := range objects {
		all[i] = object
	}
	return all, nil
}

// UntypedOne is Untyped for one object: after an error the result is nil, not a
// nil pointer in an interface.
func UntypedOne[T runtime.Object](object T, err error) (runtime.Object, error) {
	if err != nil {
		return nil, err
	}
	return object, nil
}
