package informer

import "iter"

// AnyInformer is implemented by SharedInformers of all types. It is for code that
// does not know the type, such as a debug page or a health check.
type AnyInformer interface {
	// State returns the current state.
	State() State
	// Keys returns an iterator over the keys of all stored objects, in no
	// particular order.
	Keys() iter.Seq[string]
	// Object is Get without the type. The object is shared: do not modify it.
	Object(key string) (obj any, ok bool)
}

// SameInformer reports whether a and b are the same informer. Different calls of
// For and Factory.Informers may return different values for one informer.
func SameInformer(a, b AnyInformer) bool {
	one, ok := a.(interface{ identity() any })
	other, too := b.(interface{ identity() any })
	if ok && too {
		return one.identity() == other.identity()
	}
	return a == b
}

func (i *SharedInformer[T]) identity() any { return i.shared }
