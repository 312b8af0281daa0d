package cache

import (
	"errors"
	"fmt"
)

// KeyError is what a store or queue returns for an object that has no key. Its
// text names the type of the object; the object, whose content may be secret,
// is in Obj.
type KeyError struct {
	Obj any
	Err error
}

func (k KeyError) Error() string {
	return fmt.Sprintf("couldn't create key for object of type %T: %v", k.Obj, k.Err)
}

// Unwrap returns the error of the key function.
func (k KeyError) Unwrap() error { return k.Err }

// errNoKeyFunc: the store was made without a key function.
var errNoKeyFunc = errors.New("the key function is nil")

// keyFuncOr is keyFunc, or one that fails where that is nil.
func keyFuncOr(keyFunc KeyFunc) KeyFunc {
	if keyFunc != nil {
		return keyFunc
	}
	return func(any) (string, error) { return "", errNoKeyFunc }
}
