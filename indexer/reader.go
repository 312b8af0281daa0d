package indexer

import "iter"

// Reader is the right to read an Indexer. No method ever waits for a writer
// or makes one wait. Each answers from one version of the store, the one at the
// time of the call, even if the iterator that it returned is used later or for
// long. Take a Snapshot to ask several things of the same version.
type Reader[T any] struct {
	store *store[T]
}

// Snapshot returns the newest version.
func (r Reader[T]) Snapshot() Snapshot[T] { return r.store.snapshot() }

// Get returns the object of a key.
func (r Reader[T]) Get(key string) (T, bool) { return r.store.current.Load().get(key) }

// All yields every object, in no order. Nothing is copied.
func (r Reader[T]) All() iter.Seq[T] { return r.store.current.Load().all() }

// Keys yields the key of every object, in no order.
func (r Reader[T]) Keys() iter.Seq[string] { return r.store.current.Load().allKeys() }

// Len is the number of objects.
func (r Reader[T]) Len() int { return r.store.current.Load().len() }

// Version is the resource version that the store has reached, as its writer
// said; "" before the first.
func (r Reader[T]) Version() string { return r.store.current.Load().version }

// Key is what the key function says of obj, which need not be stored.
//
// Possible errors: *KeyError.
func (r Reader[T]) Key(obj T) (string, error) { return r.store.key(obj) }

// Indexes yields every index that can be asked, in the order in which they were
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
	return r.index(func(def *definition[T]) bool { return def.name == name })
}

func (r Reader[T]) index(match func(*definition[T]) bool) (*Index[T], bool) {
	root := r.store.current.Load()
	for i, def := range *r.store.definitions.Load() {
		if i < len(root.indexes) && root.indexes[i].ready && match(def) {
			return def.handle, true
		}
	}
	return nil, false
}
