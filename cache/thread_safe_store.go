// The work is done by package indexer.

package cache

import (
	"github.com/thinformer/thinformer/cache/internal/klogger"
	"github.com/thinformer/thinformer/cache/internal/metadata"
	"github.com/thinformer/thinformer/indexer"
)

// ThreadSafeStore is an Indexer whose caller provides the keys.
type ThreadSafeStore interface {
	Add(key string, obj any)
	Update(key string, obj any)
	Delete(key string)
	// DeleteWithObject is like Delete, and also sets the version of the store
	// to that of obj, unless that is older.
	DeleteWithObject(key string, obj any)
	Get(key string) (item any, exists bool)
	List() []any
	ListKeys() []string
	Replace(items map[string]any, resourceVersion string)
	Index(indexName string, obj any) ([]any, error)
	IndexKeys(indexName, indexedValue string) ([]string, error)
	ListIndexFuncValues(name string) []string
	ByIndex(indexName, indexedValue string) ([]any, error)
	GetIndexers() Indexers
	AddIndexers(newIndexers Indexers) error
	// Resync does nothing.
	//
	// Deprecated: there is nothing to do.
	Resync() error
	Bookmark(resourceVersion string)
	LastStoreSyncResourceVersion() string
}

// ThreadSafeStoreTransaction is a Transaction with a key.
type ThreadSafeStoreTransaction struct {
	Transaction
	Key string
}

// ThreadSafeStoreWithTransaction is a ThreadSafeStore with atomic transactions:
// readers see all writes or none. The result of NewThreadSafeStore implements
// it.
type ThreadSafeStoreWithTransaction interface {
	ThreadSafeStore
	Transaction(fns ...ThreadSafeStoreTransaction)
}

// threadSafeStore implements ThreadSafeStoreWithTransaction.
type threadSafeStore struct {
	storeBase[any]
}

var _ ThreadSafeStoreWithTransaction = (*threadSafeStore)(nil)

// NewThreadSafeStore returns an empty ThreadSafeStore with indexes. An index
// whose function is nil is logged and left out. indices is ignored: the store
// is empty.
func NewThreadSafeStore(indexers Indexers, indices Indices, opts ...ThreadSafeStoreOption) ThreadSafeStore {
	s := &threadSafeStore{}
	for _, opt := range opts {
		if opt != nil {
			opt(s)
		}
	}
	// All writes are by key, so that no key function is needed.
	s.ix = indexer.New(indexer.Options[any]{Logger: klogger.FromOption(nil)})
	s.addInitialIndexers(indexers)
	return s
}

// Add stores obj under key.
func (s *threadSafeStore) Add(key string, obj any) {
	s.ix.KeyedWriter().Set(key, obj, metadata.VersionOf(obj))
	s.updateMetrics()
}

// Update calls Add.
func (s *threadSafeStore) Update(key string, obj any) { s.Add(key, obj) }

// Delete removes the object with the key. The version of the store does not
// change.
func (s *threadSafeStore) Delete(key string) { s.DeleteWithObject(key, nil) }

// DeleteWithObject is like Delete, and also sets the version of the store to
// that of obj, unless that is older.
func (s *threadSafeStore) DeleteWithObject(key string, obj any) {
	s.ix.KeyedWriter().Delete(key, metadata.VersionOf(obj))
	s.updateMetrics()
}

// Get returns the object with the key.
func (s *threadSafeStore) Get(key string) (item any, exists bool) { return s.getByKey(key) }

// Replace replaces all objects with items.
func (s *threadSafeStore) Replace(items map[string]any, resourceVersion string) {
	keys, objects := make([]string, 0, len(items)), make([]any, 0, len(items))
	for key, obj := range items {
		keys, objects = append(keys, key), append(objects, obj)
	}
	s.ix.KeyedWriter().Replace(keys, objects, resourceVersion)
	s.updateMetrics()
}

// Transaction applies all writes atomically. A write of an unknown type is
// ignored.
func (s *threadSafeStore) Transaction(txns ...ThreadSafeStoreTransaction) {
	changes := make([]indexer.Change[any], 0, len(txns))
	reached := ""
	for _, txn := range txns {
		change := indexer.Change[any]{Key: txn.Key}
		switch txn.Type {
		case TransactionTypeAdd, TransactionTypeUpdate:
			change.Object = txn.Object
		case TransactionTypeDelete:
			change.Delete = true
		default:
			continue
		}
		changes = append(changes, change)
		reached = newerVersion(reached, metadata.VersionOf(txn.Object))
	}
	s.ix.KeyedWriter().Apply(changes, reached)
	s.updateMetrics()
}

// ThreadSafeStoreOption is an option of NewThreadSafeStore.
type ThreadSafeStoreOption = func(*threadSafeStore)

// WithThreadSafeStoreMetrics is WithStoreMetrics for a ThreadSafeStore.
func WithThreadSafeStoreMetrics(identifier InformerNameAndResource, metricsProvider InformerMetricsProvider) ThreadSafeStoreOption {
	return func(s *threadSafeStore) { s.metrics = newStoreMetrics(identifier, metricsProvider) }
}
