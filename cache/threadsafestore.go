package cache

import "github.com/thinformer/thinformer/indexer"

// ThreadSafeStore is an Indexer whose caller names the keys.
type ThreadSafeStore interface {
	Add(key string, obj any)
	Update(key string, obj any)
	Delete(key string)
	// DeleteWithObject is Delete, and the store has reached the version of obj.
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

// ThreadSafeStoreTransaction is a Transaction under a key.
type ThreadSafeStoreTransaction struct {
	Transaction
	Key string
}

// ThreadSafeStoreWithTransaction is a ThreadSafeStore that makes several writes as
// one: no reader sees some without the others. What NewThreadSafeStore makes is one.
type ThreadSafeStoreWithTransaction interface {
	ThreadSafeStore
	Transaction(fns ...ThreadSafeStoreTransaction)
}

// threadSafeStore is what NewThreadSafeStore makes.
type threadSafeStore struct {
	contents[any]
}

var _ ThreadSafeStoreWithTransaction = (*threadSafeStore)(nil)

// NewThreadSafeStore returns an empty ThreadSafeStore with indexes. An index
// without a function is left out, which is logged. What indices has is ignored:
// there is nothing yet that could be in them.
func NewThreadSafeStore(indexers Indexers, indices Indices, opts ...ThreadSafeStoreOption) ThreadSafeStore {
	s := &threadSafeStore{}
	for _, opt := range opts {
		if opt != nil {
			opt(s)
		}
	}
	// All writes are by key: nobody asks a key function.
	s.ix = indexer.New(indexer.Options[any]{Logger: loggerOf(nil)})
	s.begin(indexers)
	return s
}

// Add stores obj under key.
func (s *threadSafeStore) Add(key string, obj any) {
	s.ix.Keyed().Set(key, obj, versionOf(obj))
	s.wrote()
}

// Update is Add.
func (s *threadSafeStore) Update(key string, obj any) { s.Add(key, obj) }

// Delete removes the object under key. The store's version stays.
func (s *threadSafeStore) Delete(key string) { s.DeleteWithObject(key, nil) }

// DeleteWithObject is Delete, and the store has reached the version of obj.
func (s *threadSafeStore) DeleteWithObject(key string, obj any) {
	s.ix.Keyed().Delete(key, versionOf(obj))
	s.wrote()
}

// Get is the object under key.
func (s *threadSafeStore) Get(key string) (item any, exists bool) { return s.getByKey(key) }

// Replace makes items all that is stored.
func (s *threadSafeStore) Replace(items map[string]any, resourceVersion string) {
	keys, objects := make([]string, 0, len(items)), make([]any, 0, len(items))
	for key, obj := range items {
		keys, objects = append(keys, key), append(objects, obj)
	}
	s.ix.Keyed().Replace(keys, objects, resourceVersion)
	s.wrote()
}

// Transaction makes all writes as one. One of an unknown type is left out.
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
		reached = newer(reached, versionOf(txn.Object))
	}
	s.ix.Keyed().Apply(changes, reached)
	s.wrote()
}
