package cache

// Indexer is a Store with indexes: values by which objects are found beside
// their keys. NewIndexer makes one.
type Indexer interface {
	Store
	// Index is the objects that the named index has under any of the values that
	// it has obj under; obj need not be stored.
	Index(indexName string, obj any) ([]any, error)
	// IndexKeys is the keys, in their order, of the objects under one value.
	IndexKeys(indexName, indexedValue string) ([]string, error)
	// ListIndexFuncValues is every value that some object is under.
	ListIndexFuncValues(indexName string) []string
	// ByIndex is the objects under one value, in no order.
	ByIndex(indexName, indexedValue string) ([]any, error)
	// GetIndexers is a copy of the functions of all indexes.
	GetIndexers() Indexers
	// AddIndexers adds indexes, at any time; all of them, or none if a name is
	// taken.
	AddIndexers(newIndexers Indexers) error
}
