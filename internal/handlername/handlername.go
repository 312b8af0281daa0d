// Package handlername lets a handler that package interop wraps keep its name in the
// errors and the logs of package cache.
//
//	var _ handlername.Wrapper[cache.ResourceEventHandler] = wrapper{}
package handlername

// Wrapper is a handler that is named as another one. H is the interface of handlers.
type Wrapper[H any] interface {
	// NamedAs returns the handler that has the name.
	NamedAs() H
}
