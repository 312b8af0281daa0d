// The work is done by package indexer.

package cache

import (
	"fmt"
	"iter"

	"github.com/thinformer/thinformer/cache/internal/klogger"
	"github.com/thinformer/thinformer/cache/internal/metadata"
	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
	"github.com/thinformer/thinformer/internal/resourceversion"
)

// indexerOf is an Indexer over a typed indexer. NewStore and NewIndexer use it
// with T = any.
type indexerOf[T any] struct {
	storeBase[T]
	// keyFunc returns the key of any argument of a lookup, which need not be a
	// T.
	keyFunc   KeyFunc
	transform TransformFunc // may be nil
}

var (
	_ Indexer          = (*indexerOf[any])(nil)
	_ TransactionStore = (*indexerOf[any])(nil)
)

func newIndexer(keyFunc KeyFunc, indexers Indexers, opts ...StoreOption) *indexerOf[any] {
	var o storeOptions
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	keyFunc = keyFuncOr(keyFunc)
	x := &indexerOf[any]{keyFunc: keyFunc, transform: o.transformer}
	x.ix = indexer.New(indexer.Options[any]{KeyFunc: keyFunc, Logger: klogger.FromOption(nil)})
	x.metrics = o.metrics
	if x.transform == nil {
		x.keyOf = keyFunc // objects are stored unchanged
	}
	x.addInitialIndexers(indexers)
	return x
}

// addInitialIndexers adds the first indexes. It logs errors because the
// constructors cannot return them.
func (s *storeBase[T]) addInitialIndexers(indexers Indexers) {
	for name, f := range indexers {
		if err := s.AddIndexers(Indexers{name: f}); err != nil {
			klogger.FromOption(nil).Error("Failed to add an index", "index", name, "err", err)
		}
	}
}

// IndexerOf returns a typed indexer as an untyped Indexer. Both share the same
// data. Objects that are written through it must be of type T; lookups by
// object also accept an ExplicitKey or a tombstone. If the indexer has a
// MetaFunc, it applies to Add, Update and Replace as in the typed indexer, but
// not to Delete.
func IndexerOf[T any](ix *indexer.Indexer[T]) Indexer { return newIndexerOf(ix) }

func newIndexerOf[T any](ix *indexer.Indexer[T]) *indexerOf[T] {
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
		return "", typeError[T](obj, "the object")
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

// stored returns the key and the transformed object for a write of obj.
func (x *indexerOf[T]) stored(obj any) (key string, t T, err error) {
	if key, err = x.key(obj); err != nil {
		return "", t, err
	}
	if x.transform != nil {
		if obj, err = x.transform(obj); err != nil {
			return "", t, fmt.Errorf("transforming: %w", err)
		}
	}
	t, ok := asType[T](obj)
	if !ok {
		err = typeError[T](obj, "the object to store under "+key)
	}
	return key, t, err
}

// Add stores obj.
func (x *indexerOf[T]) Add(obj any) error {
	version := metadata.VersionOf(obj)
	key, t, err := x.stored(obj)
	if err != nil {
		return err
	}
	x.ix.KeyedWriter().Set(key, t, version)
	x.updateMetrics()
	return nil
}

// Update calls Add.
func (x *indexerOf[T]) Update(obj any) error { return x.Add(obj) }

// Delete removes the object with obj's key.
func (x *indexerOf[T]) Delete(obj any) error {
	key, err := x.key(obj)
	if err != nil {
		return err
	}
	x.ix.KeyedWriter().Delete(key, metadata.VersionOf(obj))
	x.updateMetrics()
	return nil
}

// Get returns the stored object with the key of obj.
func (x *indexerOf[T]) Get(obj any) (item any, exists bool, err error) {
	key, err := x.key(obj)
	if err != nil {
		return nil, false, err
	}
	return x.GetByKey(key)
}

// GetByKey returns the stored object with that key.
func (x *indexerOf[T]) GetByKey(key string) (item any, exists bool, err error) {
	item, exists = x.getByKey(key)
	return item, exists, nil
}

// Replace replaces all objects with list. If an object has no key or cannot be
// transformed, nothing is changed.
func (x *indexerOf[T]) Replace(list []any, resourceVersion string) error {
	keys, items := make([]string, len(list)), make([]T, len(list))
	for i, obj := range list {
		var err error
		if keys[i], items[i], err = x.stored(obj); err != nil {
			return fmt.Errorf("replacing the contents, item %d: %w", i, err)
		}
	}
	x.ix.KeyedWriter().Replace(keys, items, resourceVersion)
	x.updateMetrics()
	return nil
}

// replaceBy is Replace for a list that is still being received. Nothing is
// transformed.
func (x *indexerOf[T]) replaceBy(items iter.Seq2[T, error], version func() string) error {
	err := x.ix.Replace(items, version)
	x.updateMetrics()
	return err
}

// Transaction applies all valid writes as one change.
func (x *indexerOf[T]) Transaction(txns ...Transaction) *TransactionError {
	changes := make([]indexer.Change[T], 0, len(txns))
	failed := &TransactionError{TotalTransactions: len(txns)}
	reached := ""
	for i, txn := range txns {
		version := metadata.VersionOf(txn.Object)
		change, err := x.change(txn)
		if err != nil {
			failed.Errors = append(failed.Errors, err)
			continue
		}
		failed.SuccessfulIndices = append(failed.SuccessfulIndices, i)
		changes = append(changes, change)
		reached = newerVersion(reached, version)
	}
	if len(changes) > 0 {
		x.ix.KeyedWriter().Apply(changes, reached)
		x.updateMetrics()
	}
	if len(failed.Errors) == 0 {
		return nil
	}
	return failed
}

// change converts a Transaction for the indexer.
func (x *indexerOf[T]) change(txn Transaction) (change indexer.Change[T], err error) {
	switch txn.Type {
	case TransactionTypeAdd, TransactionTypeUpdate:
		change.Key, change.Object, err = x.stored(txn.Object)
	case TransactionTypeDelete:
		change.Delete = true
		change.Key, err = x.key(txn.Object)
	default:
		err = fmt.Errorf("unknown transaction type %q", txn.Type)
	}
	return change, err
}

// newerVersion returns the newer version, or b if they cannot be compared.
func newerVersion(a, b string) string {
	if b == "" {
		return a
	}
	if resourceversion.IsOlder(b, a) {
		return a
	}
	return b
}

// readOnlyIndexer is the store of a typed informer, which only that informer
// writes. Indexes can be added, as by the informer itself.
type readOnlyIndexer[T any] struct {
	*indexerOf[T]
	informer *informer.SharedInformer[T]
}

var (
	_ Indexer          = readOnlyIndexer[any]{}
	_ TransactionStore = readOnlyIndexer[any]{}
)

func readOnlyIndexerOf[T any](inf *informer.SharedInformer[T]) Indexer {
	return readOnlyIndexer[T]{indexerOf: newIndexerOf(&indexer.Indexer[T]{Reader: inf.Reader()}), informer: inf}
}

func (x readOnlyIndexer[T]) readOnlyError(write string) error {
	return fmt.Errorf("%s: the store of the typed informer of %s can only be written by that informer: %w", write, x.informer.State().Name, indexer.ErrReadOnly)
}

// Add returns an error.
func (x readOnlyIndexer[T]) Add(any) error { return x.readOnlyError("adding an object") }

// Update returns an error.
func (x readOnlyIndexer[T]) Update(any) error { return x.readOnlyError("updating an object") }

// Delete returns an error.
func (x readOnlyIndexer[T]) Delete(any) error { return x.readOnlyError("deleting an object") }

// Replace returns an error.
func (x readOnlyIndexer[T]) Replace([]any, string) error {
	return x.readOnlyError("replacing the contents")
}

// Bookmark does nothing.
func (x readOnlyIndexer[T]) Bookmark(string) {}

// Transaction returns an error for each write.
func (x readOnlyIndexer[T]) Transaction(txns ...Transaction) *TransactionError {
	if len(txns) == 0 {
		return nil
	}
	refused := &TransactionError{TotalTransactions: len(txns)}
	for range txns {
		refused.Errors = append(refused.Errors, x.readOnlyError("a transaction"))
	}
	return refused
}

// AddIndexers adds all of the indexes, or none on an error.
func (x readOnlyIndexer[T]) AddIndexers(newIndexers Indexers) error {
	if err := x.informer.AddIndexes(indexValuesFuncs[T](newIndexers)); err != nil {
		return fmt.Errorf("adding indexers: %w", err)
	}
	return nil
}
