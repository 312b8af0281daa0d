package cache

import (
	"fmt"

	"github.com/thinformer/thinformer/indexer"
	"github.com/thinformer/thinformer/informer"
)

// readOnlyIndexer is the store of a typed informer, to which nobody has the right
// to write. Indexes can be added, as by the informer itself.
type readOnlyIndexer[T any] struct {
	*indexerOf[T]
	of *informer.SharedInformer[T]
}

var (
	_ Indexer          = readOnlyIndexer[any]{}
	_ TransactionStore = readOnlyIndexer[any]{}
)

func readOnlyIndexerOf[T any](of *informer.SharedInformer[T]) Indexer {
	return readOnlyIndexer[T]{indexerOf: overIndexer(&indexer.Indexer[T]{Reader: of.Reader()}), of: of}
}

func (x readOnlyIndexer[T]) refuse(write string) error {
	return fmt.Errorf("%s: the store of the typed informer of %s is written by that informer alone: %w", write, x.of.State().Name, indexer.ErrReadOnly)
}

// Add is refused.
func (x readOnlyIndexer[T]) Add(any) error { return x.refuse("adding an object") }

// Update is refused.
func (x readOnlyIndexer[T]) Update(any) error { return x.refuse("updating an object") }

// Delete is refused.
func (x readOnlyIndexer[T]) Delete(any) error { return x.refuse("deleting an object") }

// Replace is refused.
func (x readOnlyIndexer[T]) Replace([]any, string) error { return x.refuse("replacing the contents") }

// Bookmark does nothing.
func (x readOnlyIndexer[T]) Bookmark(string) {}

// Transaction is refused, each write of it.
func (x readOnlyIndexer[T]) Transaction(txns ...Transaction) *TransactionError {
	if len(txns) == 0 {
		return nil
	}
	refused := &TransactionError{TotalTransactions: len(txns)}
	for range txns {
		refused.Errors = append(refused.Errors, x.refuse("a transaction"))
	}
	return refused
}

// AddIndexers adds indexes, all of them or none.
func (x readOnlyIndexer[T]) AddIndexers(newIndexers Indexers) error {
	if err := x.of.AddIndexes(valuesByAll[T](newIndexers)); err != nil {
		return fmt.Errorf("adding indexers: %w", err)
	}
	return nil
}
