package informer

import "iter"

// AnyInformer is what the SharedInformers of all types have in common, for those
// who look at them without knowing the type: a debug page, a health check.
type AnyInformer interface {
	// State is what it is doing and how it fares.
	State() State
	// Keys yields the key of every stored object, in no order.
	Keys() iter.Seq[string]
	// Object is Get by another type. The object is shared: do not change it.
	Object(key string) (obj any, ok bool)
}
