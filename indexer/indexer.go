package indexer

import (
	"errors"
	"fmt"
	"iter"
	"log/slog"

	"k8s.io/apimachinery/pkg/types"
)

// Options say what an Indexer knows about its objects. The zero value suits
// objects with Kubernetes metadata. The functions answer from the object
// alone, whenever they are asked.
type Options[T any] struct {
	// KeyFunc names an object; equal keys mean the same object. Default:
	// MetaNamespaceKeyFunc.
	KeyFunc func(T) (string, error)
	// MetaFunc returns an object's uid and resource version. With it, Add,
	// Update and Delete ignore what is older than the stored version of the
	// same object, Delete ignores an object that another of its name has
	// replaced, Replace keeps the stored object where the new one is the same
	// version of it (unless others keep writing to it meanwhile), and Version
	// is the newest that a single write has brought. Default: none of these.
	MetaFunc func(T) (types.UID, string)
	// Logger hears of index functions that panic. Default: slog.Default.
	Logger *slog.Logger
}

// Indexer is a thread-safe store of objects with indexes: the right to write,
// and, through the Reader in it, to read. Objects are shared with all readers,
// so nobody may change one after it was stored.
//
// New makes one. One that is put together of a Reader reads what that reads, and
// writes nothing: its writes are ErrReadOnly.
type Indexer[T any] struct {
	// Reader is the right to read alone: hand this on to those who must not
	// write.
	Reader[T]
	// writes is the right to write: the Reader's store, or nil in an Indexer that
	// New has not made.
	writes *store[T]
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
	s.definitions.Store(&[]*definition[T]{})
	return &Indexer[T]{Reader: Reader[T]{store: s}, writes: s}
}

// Add stores an object, in the place of one with the same key.
//
// Possible errors: *KeyError, ErrReadOnly.
func (ix *Indexer[T]) Add(obj T) error {
	if ix.writes == nil {
		return ErrReadOnly
	}
	return ix.writes.set(obj)
}

// Update is Add: the store decides by what it has, not by what it is told.
//
// Possible errors: *KeyError, ErrReadOnly.
func (ix *Indexer[T]) Update(obj T) error { return ix.Add(obj) }

// Delete removes the object with obj's key. If there is none, nothing happens;
// nor with a MetaFunc, if what is stored is newer than obj or has another uid.
// To remove by key alone, use Apply with a Change of Key and Delete.
//
// Possible errors: *KeyError, ErrReadOnly.
func (ix *Indexer[T]) Delete(obj T) error {
	if ix.writes == nil {
		return ErrReadOnly
	}
	return ix.writes.unset(obj)
}

// Bookmark says that the store has reached version without a change. Without the
// right to write it does nothing.
func (ix *Indexer[T]) Bookmark(version string) {
	s := ix.writes
	if version == "" || s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writer.begin()
	s.publish(version)
}

// Resync does nothing: a store has nobody to tell again. It is here so that
// an Indexer can stand where a queue in front of it could.
func (ix *Indexer[T]) Resync() error { return nil }

// Change is one change of a batch.
type Change[T any] struct {
	// Key is the object's; if it is "", Apply asks the key function and sets it.
	Key string
	// Object is what to store. With Delete it only serves to compute the key.
	Object T
	// Delete says to remove what is stored under the key.
	Delete bool

	// Old and Existed are answers of Apply: what was stored under the key
	// just before this change, and whether anything was.
	Old     T
	Existed bool

	slot    uint32 // where the object is, if Existed
	keyless bool   // Apply has asked for a key and got none
}

// Apply makes all changes, in their order, as one: no reader sees some of
// them without the others. It does what it is told, whatever the objects'
// versions, and sets Old and Existed of each change. The store is at version
// afterwards, unless that is "". A change without a key is left out; the
// others are made all the same.
//
// Possible errors: *KeyError, several of them joined; ErrReadOnly.
func (ix *Indexer[T]) Apply(changes []Change[T], version string) error {
	s := ix.writes
	if s == nil {
		return ErrReadOnly
	}
	var failed []error
	for i := range changes {
		c := &changes[i]
		c.keyless = false
		if c.Key == "" {
			key, err := s.key(c.Object)
			if err != nil {
				failed = append(failed, fmt.Errorf("change %d: %w", i, err))
			}
			c.Key, c.keyless = key, err != nil
		}
	}
	b := batch[T]{store: s, changes: changes}
	b.apply(func() string { return version })
	return errors.Join(failed...)
}

// Replace makes items all that is stored, as one change: every reader sees
// either what was there or what is there. If items ends with an error,
// nothing happens and Replace returns it. version is asked after items has
// ended; it may be nil. Of several items with one key the last one stays. An
// item without a key is left out; the others are stored all the same.
//
// Possible errors: that of items; *KeyError, several of them joined; ErrNoItems,
// ErrReadOnly.
func (ix *Indexer[T]) Replace(items iter.Seq2[T, error], version func() string) error {
	if items == nil {
		return ErrNoItems
	}
	if ix.writes == nil {
		return ErrReadOnly
	}
	r := relist[T]{store: ix.writes}
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
