package cache

import "fmt"

// TypedSharedIndexInformer is a SharedIndexInformer whose handlers and indexes
// can be of one type. NewTypedSharedIndexInformer makes one.
type TypedSharedIndexInformer[T Object] interface {
	SharedIndexInformer
	// AddTypedEventHandler is AddEventHandlerWithOptions, with one HandlerOptions
	// at most.
	AddTypedEventHandler(handler TypedResourceEventHandler[T], options ...HandlerOptions) (ResourceEventHandlerRegistration, error)
	// AddTypedIndexers is AddIndexers.
	AddTypedIndexers(indexers TypedIndexers[T]) error
	// GetTypedIndexer is GetIndexer.
	GetTypedIndexer() TypedIndexer[T]
}

// NewTypedSharedIndexInformer is informer, all of whose objects are of type T,
// with typed methods as well.
func NewTypedSharedIndexInformer[T Object](informer SharedIndexInformer) TypedSharedIndexInformer[T] {
	return &typedInformer[T]{informer}
}

type typedInformer[T Object] struct{ SharedIndexInformer }

func (i *typedInformer[T]) AddTypedEventHandler(handler TypedResourceEventHandler[T], options ...HandlerOptions) (ResourceEventHandlerRegistration, error) {
	var o HandlerOptions
	switch len(options) {
	case 0:
	case 1:
		o = options[0]
	default:
		return nil, fmt.Errorf("adding a typed event handler: it takes one HandlerOptions at most, and there are %d", len(options))
	}
	return i.AddEventHandlerWithOptions(&typedHandler[T]{handler}, o)
}

func (i *typedInformer[T]) AddTypedIndexers(indexers TypedIndexers[T]) error {
	return i.AddIndexers(TypedIndexersToIndexers(indexers))
}

func (i *typedInformer[T]) GetTypedIndexer() TypedIndexer[T] {
	return typedIndexer[T]{i.GetIndexer()}
}
