// The work is done by package indexer.

package cache

import (
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/cache/internal/metadata"
)

// Store maps keys to objects. It is client-go's untyped form of an
// [indexer.Indexer] without indexes. NewStore returns one.
//
// Returned objects are shared: they must not be modified.
type Store interface {
	// Add stores obj, or replaces the object with the same key.
	Add(obj any) error
	// Update is Add: it does not matter whether the object exists.
	Update(obj any) error
	// Delete removes the object with obj's key, if there is one.
	Delete(obj any) error
	// List returns a new slice of all objects, in no particular order.
	List() []any
	// ListKeys returns the keys of all objects, in no particular order.
	ListKeys() []string
	// Get returns the stored object with the key of obj.
	Get(obj any) (item any, exists bool, err error)
	// GetByKey returns the stored object with that key.
	GetByKey(key string) (item any, exists bool, err error)
	// Replace replaces all objects with list, as one change.
	Replace(list []any, resourceVersion string) error
	// Resync does nothing: a store has no consumers.
	Resync() error
	// Bookmark sets the version that the store has reached without a change.
	Bookmark(resourceVersion string)
	// LastStoreSyncResourceVersion returns the version that the store has
	// reached.
	LastStoreSyncResourceVersion() string
}

// NewStore returns an empty Store.
func NewStore(keyFunc KeyFunc, opts ...StoreOption) Store {
	return newIndexer(keyFunc, nil, opts...)
}

// NewIndexer returns an empty Indexer with the given indexes. An index whose
// function is nil is logged and left out.
func NewIndexer(keyFunc KeyFunc, indexers Indexers, opts ...StoreOption) Indexer {
	return newIndexer(keyFunc, indexers, opts...)
}

// StoreOption is an option of NewStore and NewIndexer.
type StoreOption = func(*storeOptions)

type storeOptions struct {
	transformer TransformFunc
	metrics     *storeMetrics
}

// WithTransformer transforms each object before it is stored. The key and the
// version are those of the original object. If the transformer returns an
// error, so does the write.
func WithTransformer(transformer TransformFunc) StoreOption {
	return func(o *storeOptions) { o.transformer = transformer }
}

// WithStoreMetrics reports the version that the store has reached, if
// identifier is reserved, to metrics or, if that is nil, to the provider of
// SetInformerMetricsProvider.
func WithStoreMetrics(identifier InformerNameAndResource, metrics InformerMetricsProvider) StoreOption {
	return func(o *storeOptions) { o.metrics = newStoreMetrics(identifier, metrics) }
}

// KeyFunc returns the key of an object. Objects with equal keys are the same
// object.
type KeyFunc = func(obj any) (string, error)

// ExplicitKey can be passed as an object if only its key is known.
type ExplicitKey string

// MetaNamespaceKeyFunc returns the key "namespace/name" of an object with
// metadata, or "name" if it has no namespace. An ExplicitKey is its own key.
func MetaNamespaceKeyFunc(obj any) (string, error) {
	if key, ok := obj.(ExplicitKey); ok {
		return string(key), nil
	}
	name, err := ObjectToName(obj)
	if err != nil {
		return "", err
	}
	return name.String(), nil
}

// SplitMetaNamespaceKey is the inverse of MetaNamespaceKeyFunc. A key without
// "/" has no namespace; a key with more than one "/" is an error.
func SplitMetaNamespaceKey(key string) (namespace, name string, err error) {
	before, after, found := strings.Cut(key, "/")
	if !found {
		return "", before, nil
	}
	if strings.Contains(after, "/") {
		return "", "", fmt.Errorf("unexpected key format: %q", key)
	}
	return before, after, nil
}

// ObjectToName returns the name of an object that has metadata.
func ObjectToName(obj any) (ObjectName, error) {
	named, err := metadata.As[metadata.Namer](obj)
	if err != nil {
		return ObjectName{}, err
	}
	return ObjectName{Namespace: named.GetNamespace(), Name: named.GetName()}, nil
}

// MetaObjectToName returns the name of an object.
func MetaObjectToName(obj metav1.Object) ObjectName {
	return ObjectName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// KeyError is the error of a store or queue for an object without a key. Its
// text contains the type of the object but not its content, which may be
// secret; the object is in Obj.
type KeyError struct {
	Obj any
	Err error
}

func (k KeyError) Error() string {
	return fmt.Sprintf("couldn't create key for object of type %T: %v", k.Obj, k.Err)
}

// Unwrap returns the error of the key function.
func (k KeyError) Unwrap() error { return k.Err }

// errNoKeyFunc is the error of a store that was created without a key function.
var errNoKeyFunc = errors.New("the key function is nil")

// keyFuncOr returns keyFunc, or a function that returns an error if keyFunc is
// nil.
func keyFuncOr(keyFunc KeyFunc) KeyFunc {
	if keyFunc != nil {
		return keyFunc
	}
	return func(any) (string, error) { return "", errNoKeyFunc }
}

// TransactionType is the type of a Transaction.
type TransactionType string

const (
	// TransactionTypeAdd and TransactionTypeUpdate store the object.
	TransactionTypeAdd    TransactionType = "Add"
	TransactionTypeUpdate TransactionType = "Update"
	// TransactionTypeDelete removes the object with the key.
	TransactionTypeDelete TransactionType = "Delete"
)

// Transaction is one of several writes that are applied together.
type Transaction struct {
	Object any
	Type   TransactionType
}

// TransactionStore is a Store with atomic transactions: readers see all writes
// or none. The results of NewStore and NewIndexer implement it.
type TransactionStore interface {
	// Transaction applies all valid writes in order. The error describes the
	// invalid ones; it is nil if there are none.
	Transaction(txns ...Transaction) *TransactionError
}

// TransactionError lists the writes that were applied and the errors of the
// others.
type TransactionError struct {
	SuccessfulIndices []int
	TotalTransactions int
	Errors            []error
}

func (t *TransactionError) Error() string {
	return fmt.Sprintf("%d of %d transactions failed: %v", t.TotalTransactions-len(t.SuccessfulIndices), t.TotalTransactions, t.Errors)
}

// Unwrap returns the errors of the writes.
func (t *TransactionError) Unwrap() []error { return t.Errors }
