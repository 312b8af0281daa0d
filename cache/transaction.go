package cache

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/thinformer/thinformer/indexer"
)

// TransactionType says what a Transaction does.
type TransactionType string

const (
	// TransactionTypeAdd, TransactionTypeUpdate: the object is stored.
	TransactionTypeAdd    TransactionType = "Add"
	TransactionTypeUpdate TransactionType = "Update"
	// TransactionTypeDelete: what has the object's key is removed.
	TransactionTypeDelete TransactionType = "Delete"
)

// Transaction is one write of several that are made together.
type Transaction struct {
	Object any
	Type   TransactionType
}

// TransactionStore is a Store that makes several writes as one: no reader sees
// some without the others. What NewStore and NewIndexer make is one.
type TransactionStore interface {
	// Transaction makes all writes that can be made, in their order. The error
	// tells of those that cannot; it is nil if there are none.
	Transaction(txns ...Transaction) *TransactionError
}

// TransactionError tells which writes have been made, and why the others have not.
type TransactionError struct {
	SuccessfulIndices []int
	TotalTransactions int
	Errors            []error
}

func (t *TransactionError) Error() string {
	return fmt.Sprintf("%d of %d transactions failed: %v", t.TotalTransactions-len(t.SuccessfulIndices), t.TotalTransactions, t.Errors)
}

// Unwrap returns why the writes have failed.
func (t *TransactionError) Unwrap() []error { return t.Errors }

// Transaction makes all writes that can be made, as one.
func (x *indexerOf[T]) Transaction(txns ...Transaction) *TransactionError {
	changes := make([]indexer.Change[T], 0, len(txns))
	failed := &TransactionError{TotalTransactions: len(txns)}
	reached := ""
	for i, txn := range txns {
		version := versionOf(txn.Object)
		change, err := x.change(txn)
		if err != nil {
			failed.Errors = append(failed.Errors, err)
			continue
		}
		failed.SuccessfulIndices = append(failed.SuccessfulIndices, i)
		changes = append(changes, change)
		reached = newer(reached, version)
	}
	if len(changes) > 0 {
		x.ix.Keyed().Apply(changes, reached)
		x.wrote()
	}
	if len(failed.Errors) == 0 {
		return nil
	}
	return failed
}

// change is a Transaction as the indexer takes it.
func (x *indexerOf[T]) change(txn Transaction) (change indexer.Change[T], err error) {
	switch txn.Type {
	case TransactionTypeAdd, TransactionTypeUpdate:
		change.Key, change.Object, err = x.stored(txn.Object)
	case TransactionTypeDelete:
		change.Delete = true
		change.Key, err = x.key(txn.Object)
	default:
		err = fmt.Errorf("a transaction cannot be of type %q", txn.Type)
	}
	return change, err
}

// newer is the newer one of two versions: b, if nobody can say.
func newer(a, b string) string {
	if b == "" {
		return a
	}
	if order, err := resourceversion.CompareResourceVersion(a, b); err == nil && order > 0 {
		return a
	}
	return b
}
