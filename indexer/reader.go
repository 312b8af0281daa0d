package indexer

import "iter"

// Reader gives read access to an Indexer. Its methods never wait for a writer or
// block one. Each call reads the version of the store at the time of the call,
// even if the returned iterator is used later. Use a Snapshot for several reads
// of the same version.
type Reader[T any] struct {
	store *store[T]
}

// Snapshot returns a Snapshot of the current version.
func (r Reader[T]) Snapshot() Snapshot[T] { return r.store.snapshot() }

// Get returns the object with the given key.
func (r Reader[T]) Get(key string) (T, bool) { return r.store.current.Load().get(key) }

// All yields all objects, in no particular order, without copying them.
func (r Reader[T]) All() iter.Seq[T] { return r.store.current.Load().all() }

// Keys yields the key of every object, in no particular order.
func (r Reader[T]) Keys() iter.Seq[string] { return r.store.current.Load().allKeys() }

// Len returns the number of objects.
func (r Reader[T]) Len() int { return r.store.current.Load().len() }

// Version returns the resource version that the store has reached, or "" if it
// has none yet.
func (r Reader[T]) Version() string { return r.store.current.Load().version }

// Key returns the key of obj, which need not be stored.
//
// Possible errors: *KeyError.
func (r Reader[T]) Key(obj T) (string, error) { return r.store.key(obj) }

// Indexes yields the indexes that can be read, in the order in which they were
// added.
func (r Reader[T]) Indexes() iter.Seq[*Index[T]] {
	return func(yield func(*Index[T]) bool) {
		root := r.store.current.Load()
		for i, def := range *r.store.definitions.Load() {
			if i < len(root.indexes) && root.indexes[i].ready && !yield(def.handle) {
				return
			}
		}
	}
}

// Index returns the index of that name.
func (r Reader[T]) Index(name string) (*Index[T], bool) {
	return r.index(func(def *indexDefinition[T]) bool { return def.name == name })
}

func (r Reader[T]) index(match func(*indexDefinition[T]) bool) (*Index[T], bool) {
	root := r.store.current.Load()
	for i, def := range *r.store.definitions.Load() {
		if i < len(root.indexes) && root.indexes[i].ready && match(def) {
			return def.handle, true
		}
	}
	return nil, false
}
