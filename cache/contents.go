package cache

import (
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/thinformer/thinformer/indexer"
)

// contents is what every store here has: objects and indexes over them, in a
// typed indexer. It is all of an Indexer but what needs the key of an object.
type contents[T any] struct {
	ix *indexer.Indexer[T]
	// keyOf is the key under which an object was stored, as far as the object
	// tells. It is nil where it does not.
	keyOf   func(T) (string, error)
	metrics *storeMetrics
	// warned is set when it has been said that a namespace was looked for without
	// an index.
	warned atomic.Bool
}

// typed is obj as a T, if it is one.
func typed[T any](obj any) (t T, ok bool) {
	if t, ok = obj.(T); ok {
		return t, true
	}
	return t, obj == nil && reflect.TypeFor[T]().Kind() == reflect.Interface
}

// notA says that obj is no T, and what obj is to be.
func notA[T any](obj any, what string) error {
	return fmt.Errorf("%s is a %T and not a %v", what, obj, reflect.TypeFor[T]())
}

// List is every object.
func (c *contents[T]) List() []any {
	now := c.ix.Snapshot()
	if untyped, ok := any(now).(indexer.Snapshot[any]); ok {
		return untyped.AppendAll([]any{})
	}
	list := make([]any, 0, now.Len())
	for obj := range now.All() {
		list = append(list, obj)
	}
	return list
}

// ListKeys is the key of every object.
func (c *contents[T]) ListKeys() []string {
	now := c.ix.Snapshot()
	return slices.AppendSeq(make([]string, 0, now.Len()), now.Keys())
}

// GetByKey is the object with that key.
func (c *contents[T]) getByKey(key string) (item any, exists bool) {
	obj, exists := c.ix.Get(key)
	if !exists {
		return nil, false
	}
	return obj, true
}

// LastStoreSyncResourceVersion is the version that the store has reached.
func (c *contents[T]) LastStoreSyncResourceVersion() string { return c.ix.Version() }

// Bookmark says that the store has reached a version without a change. Like a
// single write, it never takes the store back to an older one: only Replace does.
func (c *contents[T]) Bookmark(resourceVersion string) {
	c.ix.Keyed().Apply(nil, resourceVersion)
	c.wrote()
}

// Resync does nothing.
func (c *contents[T]) Resync() error { return nil }

// wrote tells the metric of the version, if there is one.
func (c *contents[T]) wrote() {
	if c.metrics != nil {
		c.metrics.reached(c.ix.Version())
	}
}

// ByIndex is the objects that the named index has under a value.
func (c *contents[T]) ByIndex(indexName, indexedValue string) ([]any, error) {
	ix, ok := c.ix.Index(indexName)
	if !ok {
		return nil, noIndexError(indexName)
	}
	now := c.ix.Snapshot()
	if untyped, ok := any(now).(indexer.Snapshot[any]); ok {
		return untyped.AppendFound([]any{}, any(ix).(*indexer.Index[any]), indexedValue), nil
	}
	list := make([]any, 0, now.Count(ix, indexedValue))
	for obj := range now.Find(ix, indexedValue) {
		list = append(list, obj)
	}
	return list, nil
}

// Index is the objects that the named index has under any of the values that it
// has obj under.
func (c *contents[T]) Index(indexName string, obj any) ([]any, error) {
	found, err := c.like(indexName, obj)
	if err != nil {
		return nil, err
	}
	return found.list(), nil
}

func (c *contents[T]) find(indexName, value string) (found[any], error) {
	found, err := c.under(indexName, value)
	return found.untyped(), err
}

func (c *contents[T]) findLike(indexName string, obj any) (found[any], error) {
	found, err := c.like(indexName, obj)
	return found.untyped(), err
}

func (c *contents[T]) under(indexName, value string) (found[T], error) {
	ix, ok := c.ix.Index(indexName)
	if !ok {
		return found[T]{}, noIndexError(indexName)
	}
	now := c.ix.Snapshot()
	return found[T]{all: now.Find(ix, value), most: now.Count(ix, value)}, nil
}

func (c *contents[T]) like(indexName string, obj any) (found[T], error) {
	ix, ok := c.ix.Index(indexName)
	if !ok {
		return found[T]{}, noIndexError(indexName)
	}
	values, err := c.valuesIn(ix, obj)
	if err != nil {
		return found[T]{}, err
	}
	now := c.ix.Snapshot()
	like := found[T]{all: now.FindAny(ix, values)}
	for _, value := range values {
		like.most += now.Count(ix, value)
	}
	return like, nil
}

// valuesIn asks the function of an index. The namespace may be asked for with any
// object that has one: listers do so with an ObjectMeta.
func (c *contents[T]) valuesIn(ix *indexer.Index[T], obj any) (values []string, err error) {
	t, ok := typed[T](obj)
	switch {
	case ok:
	case ix.Name() == NamespaceIndex:
		return MetaNamespaceIndexFunc(obj)
	default:
		return nil, notA[T](obj, "what index "+ix.Name()+" is asked about")
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

// IndexKeys is the keys, in their order, of the objects under a value.
func (c *contents[T]) IndexKeys(indexName, indexedValue string) ([]string, error) {
	ix, ok := c.ix.Index(indexName)
	if !ok {
		return nil, noIndexError(indexName)
	}
	now := c.ix.Snapshot()
	keys, told := c.keysTold(now, ix, indexedValue)
	if !told {
		keys = slices.AppendSeq(keys[:0], now.FindKeys(ix, indexedValue))
	}
	slices.Sort(keys)
	return keys, nil
}

// keysTold asks the objects under a value for their keys. told is false if one of
// them does not know.
func (c *contents[T]) keysTold(now indexer.Snapshot[T], ix *indexer.Index[T], value string) (keys []string, told bool) {
	keys = make([]string, 0, now.Count(ix, value))
	if c.keyOf == nil {
		return keys, false
	}
	for obj := range now.Find(ix, value) {
		key, err := c.keyOf(obj)
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

// ListIndexFuncValues is every value that the named index has an object under.
func (c *contents[T]) ListIndexFuncValues(indexName string) []string {
	values := []string{}
	if ix, ok := c.ix.Index(indexName); ok {
		values = slices.AppendSeq(values, ix.Values())
	}
	return values
}

// GetIndexers is the functions of all indexes, in a map of the caller's own.
func (c *contents[T]) GetIndexers() Indexers {
	indexers := Indexers{}
	for ix := range c.ix.Indexes() {
		indexers[ix.Name()] = func(obj any) ([]string, error) { return c.valuesIn(ix, obj) }
	}
	return indexers
}

// AddIndexers adds indexes, all of them or none.
func (c *contents[T]) AddIndexers(newIndexers Indexers) error {
	if err := c.ix.AddIndexes(valuesByAll[T](newIndexers)); err != nil {
		return fmt.Errorf("adding indexers: %w", err)
	}
	return nil
}

// valuesByAll is valuesBy of each; nil stays nil.
func valuesByAll[T any](indexers Indexers) map[string]func(T) []string {
	functions := make(map[string]func(T) []string, len(indexers))
	for name, f := range indexers {
		functions[name] = nil
		if f != nil {
			functions[name] = valuesBy[T](name, f)
		}
	}
	return functions
}
