package indexer

import (
	"errors"
	"fmt"
	"iter"
	"log/slog"

	"k8s.io/apimachinery/pkg/types"
)

// Options configures an Indexer. The zero value works for objects with
// Kubernetes metadata. The results of the functions must depend only on the
// object.
type Options[T any] struct {
	// KeyFunc returns the key of an object; equal keys mean the same object.
	// Default: MetaNamespaceKeyFunc.
	KeyFunc func(T) (string, error)
	// MetaFunc returns the UID and resource version of an object. With a
	// MetaFunc, Add, Update and Delete ignore an object that is older than the
	// stored version of the same object. Delete also ignores an object if the
	// stored object has another UID. Replace keeps the stored object if the new
	// one is the same version of it, unless other writers interfere. Version is
	// the newest version that a single write has set. Default: none.
	MetaFunc func(T) (types.UID, string)
	// Logger logs panics of index functions. Default: slog.Default.
	Logger *slog.Logger
}

// Indexer is a thread-safe store of objects with indexes. It gives write access,
// and read access through its Reader. Objects are shared with all readers and
// must not be changed after they were stored.
//
// Use New to create an Indexer. An Indexer constructed from a Reader can only
// read: its writes return ErrReadOnly.
type Indexer[T any] struct {
	// Reader gives read access only. Pass it to code that must not write.
	Reader[T]
	// writable is the Reader's store, or nil in an Indexer that New has not
	// created.
	writable *store[T]
}

// New returns an empty Indexer.
func New[T any](options Options[T]) *Indexer[T] {
	s := &store[T]{keyOf: options.KeyFunc, metaOf: options.MetaFunc, log: options.Logger}
	if s.keyOf == nil {
		s.keyOf = MetaNamespaceKeyFunc[T]
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	s.current.Store(&root[T]{})
	s.definitions.Store(&[]*indexDefinition[T]{})
	return &Indexer[T]{Reader: Reader[T]{store: s}, writable: s}
}

// Add stores an object and replaces one with the same key.
//
// Possible errors: *KeyError, ErrReadOnly.
func (ix *Indexer[T]) Add(obj T) error {
	if ix.writable == nil {
		return ErrReadOnly
	}
	return ix.writable.set(obj)
}

// Update is the same as Add: whether the object is added or replaced depends
// only on the contents of the store.
//
// Possible errors: *KeyError, ErrReadOnly.
func (ix *Indexer[T]) Update(obj T) error { return ix.Add(obj) }

// Delete removes the object with the key of obj. It does nothing if there is
// none or, with a MetaFunc, if the stored object is newer than obj or has
// another UID. To remove an object by key only, use Apply with a Change that has
// Key and Delete.
//
// Possible errors: *KeyError, ErrReadOnly.
func (ix *Indexer[T]) Delete(obj T) error {
	if ix.writable == nil {
		return ErrReadOnly
	}
	return ix.writable.delete(obj)
}

// Bookmark reports that the store has reached version without a change. Without
// write access it does nothing.
func (ix *Indexer[T]) Bookmark(version string) {
	s := ix.writable
	if version == "" || s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writer.begin()
	s.publish(version)
}

// Resync does nothing: a store has no consumers. It exists so that an Indexer
// implements the same interface as a queue.
func (ix *Indexer[T]) Resync() error { return nil }

// Change is one change of a batch.
type Change[T any] struct {
	// Key is the key of the object. If it is "", Apply calls the key function
	// and sets Key.
	Key string
	// Object is the object to store. With Delete it is only used to compute the
	// key.
	Object T
	// Delete removes the object with the key.
	Delete bool

	// Old and Existed are set by Apply: the object stored before this change,
	// and whether there was one.
	Old     T
	Existed bool

	slot  uint32 // the slot of the object, if Existed
	noKey bool   // the key function has returned an error
}

// Apply makes all changes, in order, as one: no reader sees only some of them.
// It ignores the versions of objects, and sets Old and Existed of each change.
// It sets the version of the store, unless version is "". A change without a key
// is skipped; the others are made.
//
// Possible errors: *KeyError, several of them joined; ErrReadOnly.
func (ix *Indexer[T]) Apply(changes []Change[T], version string) error {
	s := ix.writable
	if s == nil {
		return ErrReadOnly
	}
	var failed []error
	for i := range changes {
		c := &changes[i]
		c.noKey = false
		if c.Key == "" {
			key, err := s.key(c.Object)
			if err != nil {
				failed = append(failed, fmt.Errorf("change %d: %w", i, err))
			}
			c.Key, c.noKey = key, err != nil
		}
	}
	b := batch[T]{store: s, changes: changes}
	b.apply(func() string { return version })
	return errors.Join(failed...)
}

// Replace replaces the contents of the store with items, as one change: a reader
// sees either the old or the new contents. If items ends with an error, nothing
// changes and Replace returns it. version may be nil, and is called after items
// has ended. If several items have the same key, the last one is stored. An item
// without a key is skipped; the others are stored.
//
// Possible errors: that of items; *KeyError, several of them joined; ErrNoItems,
// ErrReadOnly.
func (ix *Indexer[T]) Replace(items iter.Seq2[T, error], version func() string) error {
	if items == nil {
		return ErrNoItems
	}
	if ix.writable == nil {
		return ErrReadOnly
	}
	r := relist[T]{store: ix.writable}
	for obj, err := range items {
		if err != nil {
			return fmt.Errorf("indexer: reading the items of a Replace: %w", err)
		}
		r.add(obj)
	}
	reached := ""
	if version != nil {
		reached = version()
	}
	r.apply(reached)
	return errors.Join(r.failed...)
}
