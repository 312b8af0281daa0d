// Only package cache uses the exported names of this file.

package indexer

// KeyedWriter writes to an Indexer under keys that the caller provides: any
// string, including "". It does not call the key function.
//
// Apart from the keys, its methods are those of the Indexer. A MetaFunc applies
// to Set and Replace, but not to Delete and Apply. The version passed to Set,
// Delete and Apply never sets the store back to an older one.
type KeyedWriter[T any] struct {
	store *store[T]
}

// KeyedWriter returns a writer by key. It panics with ErrReadOnly if ix has no
// write access.
func (ix *Indexer[T]) KeyedWriter() KeyedWriter[T] {
	if ix.writable == nil {
		panic(ErrReadOnly)
	}
	return KeyedWriter[T]{store: ix.writable}
}

// Set stores obj under key, and sets the version of the store unless version is
// "" or older than the current one.
func (k KeyedWriter[T]) Set(key string, obj T, version string) { k.store.setAs(key, obj, version) }

// Delete removes the object under key, and sets the version of the store unless
// version is "" or older than the current one.
func (k KeyedWriter[T]) Delete(key, version string) {
	k.store.mu.Lock()
	defer k.store.mu.Unlock()
	k.store.removeLocked(key, version)
}

// Apply makes all changes, in order, as one, each under its Key, and sets Old
// and Existed of each. It sets the version of the store unless version is "" or
// older than the current one.
func (k KeyedWriter[T]) Apply(changes []Change[T], version string) {
	for i := range changes {
		changes[i].noKey = false
	}
	b := batch[T]{store: k.store, changes: changes}
	b.apply(func() string { return k.store.notOlder(version) })
}

// Replace replaces the contents of the store with items, as one change. keys[i]
// is the key of items[i]. If several items have the same key, the last one is
// stored. Replace sets the version of the store unless version is "". The
// caller must not use the slices until Replace returns. Replace panics if the
// slices have different lengths.
func (k KeyedWriter[T]) Replace(keys []string, items []T, version string) {
	if len(keys) != len(items) {
		panic("indexer: KeyedWriter.Replace: keys and items have different lengths")
	}
	r := relist[T]{store: k.store, keys: keys, items: items}
	r.apply(version)
}
