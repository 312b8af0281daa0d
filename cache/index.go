// The work is done by package indexer.

package cache

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/thinformer/thinformer/cache/internal/metadata"
)

// Indexer is a Store with indexes: named functions that map an object to values
// by which it can be looked up. NewIndexer returns one.
type Indexer interface {
	Store
	// Index returns the objects that share an indexed value with obj. obj need
	// not be stored.
	Index(indexName string, obj any) ([]any, error)
	// IndexKeys returns the sorted keys of the objects with an indexed value.
	IndexKeys(indexName, indexedValue string) ([]string, error)
	// ListIndexFuncValues returns all values of the index.
	ListIndexFuncValues(indexName string) []string
	// ByIndex returns the objects with an indexed value, in no particular
	// order.
	ByIndex(indexName, indexedValue string) ([]any, error)
	// GetIndexers returns a copy of the map of all index functions.
	GetIndexers() Indexers
	// AddIndexers adds indexes at any time: all of them, or none if a name is
	// already used.
	AddIndexers(newIndexers Indexers) error
}

// IndexFunc returns the values under which an object is indexed. If it returns
// an error, the error is logged and the object is left out of the index.
type IndexFunc = func(obj any) ([]string, error)

// Indexers maps names of indexes to their functions.
type Indexers map[string]IndexFunc

// Indices maps names of indexes to their contents. Only NewThreadSafeStore
// accepts it.
type Indices map[string]index

type index map[string]sets.Set[string]

// NamespaceIndex is the name of the namespace index that listers use.
const NamespaceIndex string = "namespace"

// MetaNamespaceIndexFunc is an IndexFunc that returns the namespace of the
// object.
func MetaNamespaceIndexFunc(obj any) ([]string, error) {
	named, err := metadata.As[metadata.Namer](obj)
	if err != nil {
		return []string{""}, err
	}
	return []string{named.GetNamespace()}, nil
}

// IndexFuncToKeyFuncAdapter returns a KeyFunc for an IndexFunc that returns
// exactly one value per object, which must be unique.
func IndexFuncToKeyFuncAdapter(indexFunc IndexFunc) KeyFunc {
	return func(obj any) (string, error) {
		if indexFunc == nil {
			return "", errNoIndexFunc
		}
		values, err := indexFunc(obj)
		if err != nil {
			return "", err
		}
		if len(values) != 1 {
			return "", fmt.Errorf("the index function returned %[2]d values for a %[1]T, want 1", obj, len(values))
		}
		return values[0], nil
	}
}

var errNoIndexFunc = errors.New("the index function is nil")

// indexFailure carries an error of an IndexFunc as a panic, because index
// functions of package indexer return no error. The indexer logs it and leaves
// the object out of the index.
type indexFailure struct {
	index string
	err   error
}

func (f indexFailure) Error() string {
	return fmt.Sprintf("the values of an object for index %q: %v", f.index, f.err)
}

func (f indexFailure) Unwrap() error { return f.err }

// indexValuesFunc returns f as an index function of package indexer.
func indexValuesFunc[T any](index string, f IndexFunc) func(T) []string {
	return func(obj T) []string {
		values, err := f(obj)
		if err != nil {
			panic(indexFailure{index: index, err: err})
		}
		return values
	}
}

// missingIndexError is the name of an index that does not exist.
type missingIndexError string

func (name missingIndexError) Error() string {
	return "Index with name " + string(name) + " does not exist"
}

// TypedIndexFunc is an IndexFunc for objects of one type.
type TypedIndexFunc[T any] func(obj T) ([]string, error)

// TypedIndexers are Indexers for objects of one type.
type TypedIndexers[T any] map[string]TypedIndexFunc[T]

// TypedIndexer is an Indexer that returns objects of one type. Reading an
// object of another type is an error.
type TypedIndexer[T any] interface {
	Indexer
	// TypedIndex is the typed form of Index.
	TypedIndex(indexName string, obj T) ([]T, error)
	// ByTypedIndex is the typed form of ByIndex.
	ByTypedIndex(indexName, indexedValue string) ([]T, error)
	// AddTypedIndexers is the typed form of AddIndexers.
	AddTypedIndexers(newIndexers TypedIndexers[T]) error
}

// TypedIndexersToIndexers converts TypedIndexers to Indexers.
func TypedIndexersToIndexers[T any](indexers TypedIndexers[T]) Indexers {
	untyped := make(Indexers, len(indexers))
	for name, f := range indexers {
		untyped[name] = TypedIndexerFuncToIndexerFunc(f)
	}
	return untyped
}

// TypedIndexerFuncToIndexerFunc converts a TypedIndexFunc to an IndexFunc,
// which returns an error for an object of another type.
func TypedIndexerFuncToIndexerFunc[T any](indexer TypedIndexFunc[T]) IndexFunc {
	if indexer == nil {
		return nil
	}
	return func(obj any) ([]string, error) {
		t, ok := asType[T](obj)
		if !ok {
			return nil, typeError[T](obj, "the object")
		}
		return indexer(t)
	}
}

// typedIndexer implements TypedIndexer over an Indexer.
type typedIndexer[T any] struct {
	Indexer
}

var _ TypedIndexer[string] = typedIndexer[string]{}

// TypedIndex returns the objects that share an indexed value with obj.
func (i typedIndexer[T]) TypedIndex(indexName string, obj T) ([]T, error) {
	if ours, ok := i.Indexer.(queryStore); ok {
		found, err := ours.findLike(indexName, obj)
		return collectTyped[T](indexName, found, err)
	}
	list, err := i.Index(indexName, obj)
	return collectTyped[T](indexName, resultOf(list), err)
}

// ByTypedIndex returns the objects with an indexed value.
func (i typedIndexer[T]) ByTypedIndex(indexName, indexedValue string) ([]T, error) {
	if ours, ok := i.Indexer.(queryStore); ok {
		found, err := ours.find(indexName, indexedValue)
		return collectTyped[T](indexName, found, err)
	}
	list, err := i.ByIndex(indexName, indexedValue)
	return collectTyped[T](indexName, resultOf(list), err)
}

// AddTypedIndexers adds indexes, all of them or none.
func (i typedIndexer[T]) AddTypedIndexers(newIndexers TypedIndexers[T]) error {
	return i.AddIndexers(TypedIndexersToIndexers(newIndexers))
}

// collectTyped returns the objects of a query in a slice that is allocated
// once.
func collectTyped[T any](indexName string, found queryResult[any], err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	list := make([]T, 0, found.maxLen)
	for obj := range found.objects {
		t, ok := asType[T](obj)
		if !ok {
			return nil, typeError[T](obj, "an object in index "+indexName)
		}
		list = append(list, t)
	}
	return list, nil
}
