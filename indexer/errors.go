package indexer

import "errors"

// Each of these names a mistake of the caller's.
var (
	// ErrNilObject: the object is nil, or a nil pointer in an interface.
	ErrNilObject = errors.New("the object is nil")
	// ErrNoMetadata: the type has neither GetNamespace and GetName nor
	// GetObjectMeta; give a KeyFunc of your own.
	ErrNoMetadata = errors.New("the object has no metadata")
	// ErrNoName: the object's name is empty, so nothing tells it from others.
	ErrNoName = errors.New("the object has no name")
	// ErrNoKey: the key function returned "", which would name every such
	// object alike.
	ErrNoKey = errors.New("the key is empty")
	// ErrNoItems: Replace without an iterator. It is not taken for an empty
	// list, which would remove everything.
	ErrNoItems = errors.New("indexer: no items to replace the contents with")
	// ErrBadKey: the key is not "name" or "namespace/name".
	ErrBadKey = errors.New("not a key of the form name or namespace/name")
	// ErrNoIndexFunc: the function of the index is nil.
	ErrNoIndexFunc = errors.New("an index needs a function")
	// ErrReadOnly: the Indexer was put together of a Reader, and not made by New:
	// it has no right to write.
	ErrReadOnly = errors.New("indexer: there is no right to write here, only to read")
	// ErrIndexExists: an index of that name is there already.
	ErrIndexExists = errors.New("an index of that name exists")
)
