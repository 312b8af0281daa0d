package reflector

import "iter"

// Store is what a reflector keeps up to date: a queue of changes
// (deltafifo.DeltaFIFO), a store (indexer.Indexer), or anything with these
// methods. They are called by one goroutine, one after another.
// reflector/storetest tests an implementation.
type Store[T any] interface {
	// Add, Update and Delete are one event each, in the order in which the
	// server told them. The name says what the server called it; an Update of
	// what is not there is an Add, and a Delete of that nothing.
	Add(T) error
	Update(T) error
	Delete(T) error
	// Replace makes the items all that there is. They arrive as they are read,
	// which can be done once: nothing of them may be visible unless items ends
	// without an error, which Replace returns. version is asked after that end;
	// "" is not a version.
	Replace(items iter.Seq2[T, error], version func() string) error
	// Bookmark says that version has been reached without a change.
	Bookmark(version string)
	// Resync asks that everything that is there be looked at again.
	Resync() error
}
