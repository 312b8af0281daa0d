package cache

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
