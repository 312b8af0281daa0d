package reflector

import "iter"

// Store is kept up to date by a reflector: a queue of changes
// (deltafifo.DeltaFIFO), a store (indexer.Indexer), or any type with these
// methods. The methods are called from one goroutine at a time. Package
// reflector/storetest tests an implementation.
type Store[T any] interface {
	// Add, Update and Delete are called once for each event, in the order of the
	// server. Their names follow the event type of the server: an Update of an
	// object that the store does not have is an Add, and a Delete of such an
	// object does nothing.
	Add(T) error
	Update(T) error
	Delete(T) error
	// Replace makes items the whole contents of the store. The items are yielded
	// while they are read, and can be iterated only once. None of them may
	// become visible unless items ends without an error; otherwise Replace
	// returns that error. version is called after the items have ended; "" is
	// not a version.
	Replace(items iter.Seq2[T, error], version func() string) error
	// Bookmark reports that version has been reached without a change.
	Bookmark(version string)
	// Resync delivers all stored objects again to the consumers of the store.
	Resync() error
}

// KnownObjects is an optional interface of a Store. With it, an object that cannot be
// decoded in a list keeps its known state.
type KnownObjects[T any] interface {
	// Known returns the object that is stored, or will be when queued changes have been
	// processed.
	Known(key string) (T, bool)
}

// VersionInvalidator is an optional interface of a Store that compares items of a Replace
// with stored objects by version.
type VersionInvalidator interface {
	// InvalidateVersions disables that comparison for the next Replace, because versions
	// may have been reused.
	InvalidateVersions()
}

// ItemOnlyError is an optional interface of the errors of a Store.
type ItemOnlyError interface {
	// ItemOnly reports whether the error affects only one object, so that a relist would
	// not help.
	ItemOnly() bool
}
