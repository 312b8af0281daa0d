// The work is done by package indexer.

package cache

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/thinformer/thinformer/indexer"
)

// storeBase implements the methods that all stores of this package share:
// objects and indexes in a typed indexer. It implements an Indexer except for
// the methods that need the key of an object.
type storeBase[T any] struct {
	ix *indexer.Indexer[T]
	// keyOf returns the key under which an object was stored. It is nil if the
	// key cannot be derived from the object.
	keyOf   func(T) (string, error)
	metrics *storeMetrics
	// warned is set when the missing namespace index has been logged.
	warned atomic.Bool
}

// asType returns obj as a T and reports whether it is one.
func asType[T any](obj any) (t T, ok bool) {
	if t, ok = obj.(T); ok {
		return t, true
	}
	return t, obj == nil && reflect.TypeFor[T]().Kind() == reflect.Interface
}

// typeError returns an error that obj, described by what, is not a T.
func typeError[T any](obj any, what string) error {
	return fmt.Errorf("%s is a %T, want %v", what, obj, reflect.TypeFor[T]())
}

// List returns all objects.
func (s *storeBase[T]) List() []any {
	now := s.ix.Snapshot()
	if untyped, ok := any(now).(indexer.Snapshot[any]); ok {
		return untyped.AppendAll([]any{})
	}
	list := make([]any, 0, now.Len())
	for obj := range now.All() {
		list = append(list, obj)
	}
	return list
}

// ListKeys returns the keys of all objects.
func (s *storeBase[T]) ListKeys() []string {
	now := s.ix.Snapshot()
	return slices.AppendSeq(make([]string, 0, now.Len()), now.Keys())
}

// getByKey returns the object with that key.
func (s *storeBase[T]) getByKey(key string) (item any, exists bool) {
	obj, exists := s.ix.Get(key)
	if !exists {
		return nil, false
	}
	return obj, true
}

// LastStoreSyncResourceVersion returns the resource version that the store has
// reached.
func (s *storeBase[T]) LastStoreSyncResourceVersion() string { return s.ix.Version() }

// Bookmark sets the version that the store has reached without a change. Like a
// single write, it never sets an older version: only Replace does.
func (s *storeBase[T]) Bookmark(resourceVersion string) {
	s.ix.KeyedWriter().Apply(nil, resourceVersion)
	s.updateMetrics()
}

// Resync does nothing.
func (s *storeBase[T]) Resync() error { return nil }

// updateMetrics sets the metric of the version, if there is one.
func (s *storeBase[T]) updateMetrics() {
	if s.metrics != nil {
		s.metrics.setVersion(s.ix.Version())
	}
}

// ByIndex returns the objects with an indexed value.
func (s *storeBase[T]) ByIndex(indexName, indexedValue string) ([]any, error) {
	ix, ok := s.ix.Index(indexName)
	if !ok {
		return nil, missingIndexError(indexName)
	}
	now := s.ix.Snapshot()
	if untyped, ok := any(now).(indexer.Snapshot[any]); ok {
		return untyped.AppendFound([]any{}, any(ix).(*indexer.Index[any]), indexedValue), nil
	}
	list := make([]any, 0, now.CountAtMost(ix, indexedValue))
	for obj := range now.Find(ix, indexedValue) {
		list = append(list, obj)
	}
	return list, nil
}

// Index returns the objects that share an indexed value with obj.
func (s *storeBase[T]) Index(indexName string, obj any) ([]any, error) {
	found, err := s.findLikeTyped(indexName, obj)
	if err != nil {
		return nil, err
	}
	return found.list(), nil
}

func (s *storeBase[T]) find(indexName, value string) (queryResult[any], error) {
	found, err := s.findByValue(indexName, value)
	return found.untyped(), err
}

func (s *storeBase[T]) findLike(indexName string, obj any) (queryResult[any], error) {
	found, err := s.findLikeTyped(indexName, obj)
	return found.untyped(), err
}

func (s *storeBase[T]) findByValue(indexName, value string) (queryResult[T], error) {
	ix, ok := s.ix.Index(indexName)
	if !ok {
		return queryResult[T]{}, missingIndexError(indexName)
	}
	now := s.ix.Snapshot()
	return queryResult[T]{objects: now.Find(ix, value), maxLen: now.CountAtMost(ix, value)}, nil
}

func (s *storeBase[T]) findLikeTyped(indexName string, obj any) (queryResult[T], error) {
	ix, ok := s.ix.Index(indexName)
	if !ok {
		return queryResult[T]{}, missingIndexError(indexName)
	}
	values, err := s.valuesIn(ix, obj)
	if err != nil {
		return queryResult[T]{}, err
	}
	now := s.ix.Snapshot()
	like := queryResult[T]{objects: now.FindAny(ix, values)}
	for _, value := range values {
		like.maxLen += now.CountAtMost(ix, value)
	}
	return like, nil
}

// valuesIn returns the indexed values of obj. For the namespace index, obj may
// be any object with metadata: listers pass an ObjectMeta.
func (s *storeBase[T]) valuesIn(ix *indexer.Index[T], obj any) (values []string, err error) {
	t, ok := asType[T](obj)
	switch {
	case ok:
	case ix.Name() == NamespaceIndex:
		return MetaNamespaceIndexFunc(obj)
	default:
		return nil, typeError[T](obj, "the argument for index "+ix.Name())
	}
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case indexFailure:
			err = reason.err
		default:
			panic(reason)
		}
	}()
	return ix.ValuesOf(t), nil
}

// IndexKeys returns the sorted keys of the objects with an indexed value.
func (s *storeBase[T]) IndexKeys(indexName, indexedValue string) ([]string, error) {
	ix, ok := s.ix.Index(indexName)
	if !ok {
		return nil, missingIndexError(indexName)
	}
	now := s.ix.Snapshot()
	keys, ok := s.keysFromObjects(now, ix, indexedValue)
	if !ok {
		keys = slices.AppendSeq(keys[:0], now.FindKeys(ix, indexedValue))
	}
	slices.Sort(keys)
	return keys, nil
}

// keysFromObjects computes the keys of the objects with an indexed value from
// the objects. ok is false if that is not possible for one of them.
func (s *storeBase[T]) keysFromObjects(now indexer.Snapshot[T], ix *indexer.Index[T], value string) (keys []string, ok bool) {
	keys = make([]string, 0, now.CountAtMost(ix, value))
	if s.keyOf == nil {
		return keys, false
	}
	for obj := range now.Find(ix, value) {
		key, err := s.keyOf(obj)
		if err != nil {
			return keys, false
		}
		if _, stored := now.Get(key); !stored {
			return keys, false
		}
		keys = append(keys, key)
	}
	return keys, true
}

// ListIndexFuncValues returns all values of the named index.
func (s *storeBase[T]) ListIndexFuncValues(indexName string) []string {
	values := []string{}
	if ix, ok := s.ix.Index(indexName); ok {
		values = slices.AppendSeq(values, ix.Values())
	}
	return values
}

// GetIndexers returns a new map of all index functions.
func (s *storeBase[T]) GetIndexers() Indexers {
	indexers := Indexers{}
	for ix := range s.ix.Indexes() {
		indexers[ix.Name()] = func(obj any) ([]string, error) { return s.valuesIn(ix, obj) }
	}
	return indexers
}

// AddIndexers adds all of the indexes, or none on an error.
func (s *storeBase[T]) AddIndexers(newIndexers Indexers) error {
	if err := s.ix.AddIndexes(indexValuesFuncs[T](newIndexers)); err != nil {
		return fmt.Errorf("adding indexers: %w", err)
	}
	return nil
}

// indexValuesFuncs calls indexValuesFunc for each function. A nil function
// stays nil.
func indexValuesFuncs[T any](indexers Indexers) map[string]func(T) []string {
	functions := make(map[string]func(T) []string, len(indexers))
	for name, f := range indexers {
		functions[name] = nil
		if f != nil {
			functions[name] = indexValuesFunc[T](name, f)
		}
	}
	return functions
}

// queryResult holds the objects that a query of a store returned, in one
// consistent version, and an upper bound of their number.
type queryResult[T any] struct {
	objects iter.Seq[T]
	maxLen  int
}

// queryStore is a store of this package, which returns query results without a slice.
type queryStore interface {
	find(indexName, value string) (queryResult[any], error)
	findLike(indexName string, obj any) (queryResult[any], error)
}

// list returns the objects in a new slice.
func (q queryResult[T]) list() []any {
	list := make([]any, 0, q.maxLen)
	q.objects(func(obj T) bool {
		list = append(list, obj)
		return true
	})
	return list
}

// untyped returns f as a queryResult[any].
func (q queryResult[T]) untyped() queryResult[any] {
	if all, ok := any(q.objects).(iter.Seq[any]); ok {
		return queryResult[any]{objects: all, maxLen: q.maxLen}
	}
	return queryResult[any]{maxLen: q.maxLen, objects: func(yield func(any) bool) {
		for obj := range q.objects {
			if !yield(obj) {
				return
			}
		}
	}}
}

// resultOf returns a queryResult of a list that another store returned.
func resultOf(list []any) queryResult[any] {
	return queryResult[any]{objects: slices.Values(list), maxLen: len(list)}
}
