package cache

// TypedIndexFunc is an IndexFunc for objects of one type.
type TypedIndexFunc[T any] func(obj T) ([]string, error)

// TypedIndexers are Indexers for objects of one type.
type TypedIndexers[T any] map[string]TypedIndexFunc[T]

// TypedIndexer is an Indexer that answers with objects of one type. That it has
// one of another is an error of whoever asks for it.
type TypedIndexer[T any] interface {
	Indexer
	// TypedIndex is Index.
	TypedIndex(indexName string, obj T) ([]T, error)
	// ByTypedIndex is ByIndex.
	ByTypedIndex(indexName, indexedValue string) ([]T, error)
	// AddTypedIndexers is AddIndexers.
	AddTypedIndexers(newIndexers TypedIndexers[T]) error
}

// TypedIndexersToIndexers makes Indexers of TypedIndexers, for options that take
// those.
func TypedIndexersToIndexers[T any](indexers TypedIndexers[T]) Indexers {
	untyped := make(Indexers, len(indexers))
	for name, f := range indexers {
		untyped[name] = TypedIndexerFuncToIndexerFunc(f)
	}
	return untyped
}

// TypedIndexerFuncToIndexerFunc makes an IndexFunc of a TypedIndexFunc. For an
// object of another type it returns an error.
func TypedIndexerFuncToIndexerFunc[T any](indexer TypedIndexFunc[T]) IndexFunc {
	if indexer == nil {
		return nil
	}
	return func(obj any) ([]string, error) {
		t, ok := typed[T](obj)
		if !ok {
			return nil, notA[T](obj, "the object")
		}
		return indexer(t)
	}
}

// typedIndexer is an Indexer as a TypedIndexer.
type typedIndexer[T any] struct {
	Indexer
}

var _ TypedIndexer[string] = typedIndexer[string]{}

// TypedIndex is the objects that the named index has under any of the values that
// it has obj under.
func (i typedIndexer[T]) TypedIndex(indexName string, obj T) ([]T, error) {
	if ours, ok := i.Indexer.(finder); ok {
		found, err := ours.findLike(indexName, obj)
		return gather[T](indexName, found, err)
	}
	list, err := i.Index(indexName, obj)
	return gather[T](indexName, those(list), err)
}

// ByTypedIndex is the objects that the named index has under a value.
func (i typedIndexer[T]) ByTypedIndex(indexName, indexedValue string) ([]T, error) {
	if ours, ok := i.Indexer.(finder); ok {
		found, err := ours.find(indexName, indexedValue)
		return gather[T](indexName, found, err)
	}
	list, err := i.ByIndex(indexName, indexedValue)
	return gather[T](indexName, those(list), err)
}

// AddTypedIndexers adds indexes, all of them or none.
func (i typedIndexer[T]) AddTypedIndexers(newIndexers TypedIndexers[T]) error {
	return i.AddIndexers(TypedIndexersToIndexers(newIndexers))
}

// gather is what was found, in a slice of its type that is made once.
func gather[T any](indexName string, found found[any], err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	list := make([]T, 0, found.most)
	for obj := range found.all {
		t, ok := typed[T](obj)
		if !ok {
			return nil, notA[T](obj, "what index "+indexName+" has")
		}
		list = append(list, t)
	}
	return list, nil
}
