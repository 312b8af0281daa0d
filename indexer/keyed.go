package indexer

// Keyed is the right to write to an Indexer under keys that the caller names:
// any string, whatever the key function says, also "". It is for who knows the
// keys already, and for objects that do not.
//
// Its methods are those of the Indexer but for that. A MetaFunc has its say in
// Set and Replace; Delete and Apply do as they are told. The version that is
// handed to Set, Delete and Apply never takes the store back to an older one.
type Keyed[T any] struct {
	store *store[T]
}

// Keyed returns the right to write by key. It panics with ErrReadOnly if ix has
// no right to write.
func (ix *Indexer[T]) Keyed() Keyed[T] {
	if ix.writes == nil {
		panic(ErrReadOnly)
	}
	return Keyed[T]{store: ix.writes}
}

// Set stores obj under key. The store is at version afterwards, unless that is
// "" or it is at a newer one.
func (k Keyed[T]) Set(key string, obj T, version string) { k.store.setAs(key, obj, version) }

// Delete removes what is stored under key. The store is at version afterwards,
// unless that is "" or it is at a newer one.
func (k Keyed[T]) Delete(key, version string) {
	k.store.mu.Lock()
	defer k.store.mu.Unlock()
	k.store.removeLocked(key, version)
}

// Apply makes all changes, in their order, as one, each under its Key, and sets
// Old and Existed of each. The store is at version afterwards, unless that is ""
// or it is at a newer one.
func (k Keyed[T]) Apply(changes []Change[T], version string) {
	for i := range changes {
		changes[i].keyless = false
	}
	b := batch[T]{store: k.store, changes: changes}
	b.apply(func() string { return k.store.newer(version) })
}

// Replace makes items all that is stored, as one change, each under the key at
// its place in keys. Of several items with one key the last one stays. The store
// is at version afterwards, unless that is "". The slices are Replace's until it
// returns. It panics if there are not as many keys as items.
func (k Keyed[T]) Replace(keys []string, items []T, version string) {
	if len(keys) != len(items) {
		panic("indexer: Keyed.Replace: a key for each item, and no more")
	}
	r := relist[T]{store: k.store, keys: keys, items: items}
	r.apply(version)
}
