package cache

import (
	"fmt"
	"iter"

	"github.com/thinformer/thinformer/indexer"
)

// indexerOf is an Indexer over a typed one. With T = any it is what NewStore and
// NewIndexer make.
type indexerOf[T any] struct {
	contents[T]
	// keyFunc names whatever a caller may ask about, which need not be a T.
	keyFunc   KeyFunc
	transform TransformFunc // may be nil
}

var (
	_ Indexer          = (*indexerOf[any])(nil)
	_ TransactionStore = (*indexerOf[any])(nil)
)

// NewStore returns an empty Store.
func NewStore(keyFunc KeyFunc, opts ...StoreOption) Store {
	return newIndexer(keyFunc, nil, opts...)
}

// NewIndexer returns an empty Indexer with indexes. An index without a function
// is left out, which is logged.
func NewIndexer(keyFunc KeyFunc, indexers Indexers, opts ...StoreOption) Indexer {
	return newIndexer(keyFunc, indexers, opts...)
}

func newIndexer(keyFunc KeyFunc, indexers Indexers, opts ...StoreOption) *indexerOf[any] {
	var o storeOptions
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	keyFunc = keyFuncOr(keyFunc)
	x := &indexerOf[any]{keyFunc: keyFunc, transform: o.transformer}
	x.ix = indexer.New(indexer.Options[any]{KeyFunc: keyFunc, Logger: loggerOf(nil)})
	x.metrics = o.metrics
	if x.transform == nil {
		x.keyOf = keyFunc // what is stored is what had that key
	}
	x.begin(indexers)
	return x
}

// begin adds the first indexes. Nobody is there to be told of an error.
func (c *contents[T]) begin(indexers Indexers) {
	for name, f := range indexers {
		if err := c.AddIndexers(Indexers{name: f}); err != nil {
			loggerOf(nil).Error("an index is left out", "index", name, "error", err)
		}
	}
}

// IndexerOf is a typed indexer as legacy code takes one: both are the same store.
// What is written through it has to be a T; what is asked for by object may also be
// an ExplicitKey or a tombstone. If the indexer has a MetaFunc, that has its say in
// Add, Update and Replace, as in the typed ones; Delete deletes.
func IndexerOf[T any](ix *indexer.Indexer[T]) Indexer { return overIndexer(ix) }

func overIndexer[T any](ix *indexer.Indexer[T]) *indexerOf[T] {
	x := &indexerOf[T]{}
	x.ix = ix
	x.keyOf = ix.Key
	x.keyFunc = func(obj any) (string, error) {
		switch o := obj.(type) {
		case T:
			return ix.Key(o)
		case ExplicitKey:
			return string(o), nil
		case DeletedFinalStateUnknown:
			return o.Key, nil
		}
		return "", notA[T](obj, "the object")
	}
	return x
}

func (x *indexerOf[T]) key(obj any) (string, error) {
	key, err := x.keyFunc(obj)
	if err != nil {
		return "", KeyError{Obj: obj, Err: err}
	}
	return key, nil
}

// stored is what is to be stored of obj, and under which key.
func (x *indexerOf[T]) stored(obj any) (key string, t T, err error) {
	if key, err = x.key(obj); err != nil {
		return "", t, err
	}
	if x.transform != nil {
		if obj, err = x.transform(obj); err != nil {
			return "", t, fmt.Errorf("transforming: %w", err)
		}
	}
	t, ok := typed[T](obj)
	if !ok {
		err = notA[T](obj, "what is to be stored under "+key)
	}
	return key, t, err
}

// Add stores obj.
func (x *indexerOf[T]) Add(obj any) error {
	version := versionOf(obj)
	key, t, err := x.stored(obj)
	if err != nil {
		return err
	}
	x.ix.Keyed().Set(key, t, version)
	x.wrote()
	return nil
}

// Update is Add.
func (x *indexerOf[T]) Update(obj any) error { return x.Add(obj) }

// Delete removes the object with obj's key.
func (x *indexerOf[T]) Delete(obj any) error {
	key, err := x.key(obj)
	if err != nil {
		return err
	}
	x.ix.Keyed().Delete(key, versionOf(obj))
	x.wrote()
	return nil
}

// Get is the stored object with the key of obj.
func (x *indexerOf[T]) Get(obj any) (item any, exists bool, err error) {
	key, err := x.key(obj)
	if err != nil {
		return nil, false, err
	}
	return x.GetByKey(key)
}

// GetByKey is the stored object with that key.
func (x *indexerOf[T]) GetByKey(key string) (item any, exists bool, err error) {
	item, exists = x.getByKey(key)
	return item, exists, nil
}

// Replace makes list all that is stored. If one of its objects has no key, or
// cannot be transformed, nothing happens.
func (x *indexerOf[T]) Replace(list []any, resourceVersion string) error {
	keys, items := make([]string, len(list)), make([]T, len(list))
	for i, obj := range list {
		var err error
		if keys[i], items[i], err = x.stored(obj); err != nil {
			return fmt.Errorf("replacing the contents, item %d: %w", i, err)
		}
	}
	x.ix.Keyed().Replace(keys, items, resourceVersion)
	x.wrote()
	return nil
}

// replaceBy is Replace by a list that is still coming in. Nothing is transformed.
func (x *indexerOf[T]) replaceBy(items iter.Seq2[T, error], version func() string) error {
	err := x.ix.Replace(items, version)
	x.wrote()
	return err
}
