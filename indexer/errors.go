package indexer

import "errors"

// Errors for invalid calls.
var (
	// ErrNilObject: the object is nil, or a nil pointer in an interface.
	ErrNilObject = errors.New("the object is nil")
	// ErrNoMetadata: the type has neither GetNamespace and GetName nor
	// GetObjectMeta; set a KeyFunc.
	ErrNoMetadata = errors.New("the object has no metadata")
	// ErrNoName: the name of the object is empty.
	ErrNoName = errors.New("the object has no name")
	// ErrNoKey: the key function returned "", so that objects could not be
	// distinguished.
	ErrNoKey = errors.New("the key is empty")
	// ErrNoItems: Replace was called with a nil iterator. That does not mean
	// an empty list, which would remove everything.
	ErrNoItems = errors.New("indexer: the items of the Replace are nil")
	// ErrBadKey: the key is not "name" or "namespace/name".
	ErrBadKey = errors.New("not a key of the form name or namespace/name")
	// ErrNoIndexFunc: the function of the index is nil.
	ErrNoIndexFunc = errors.New("an index needs a function")
	// ErrReadOnly: the Indexer was constructed from a Reader, not by New, and
	// has no write access.
	ErrReadOnly = errors.New("indexer: the Indexer is read-only")
	// ErrIndexExists: an index with that name already exists.
	ErrIndexExists = errors.New("an index of that name exists")
)
