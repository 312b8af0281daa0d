package indexer

// batch is one call of Apply. It iterates over the changes several times
// instead of once: a large store is not in the caches of the processor, and the
// loads of consecutive look-ups overlap, while those of a single change cannot.
type batch[T any] struct {
	store   *store[T]
	changes []Change[T]
}

// apply makes the changes. It calls version, which returns the version of the
// store after them, while it holds the lock.
func (b *batch[T]) apply(version func() string) {
	values, unlock := b.prepare()
	defer unlock()
	w := &b.store.writer
	w.begin()
	b.locate(w)
	for i := range b.changes {
		c := &b.changes[i]
		if c.noKey {
			continue
		}
		switch {
		case c.Delete:
			c.Old, c.Existed = w.remove(c.Key)
			continue
		case c.Existed && !w.keysChanged:
			c.Old = w.update(c.slot, c.Object, values)
		default:
			c.slot, c.Old, c.Existed = w.put(c.Key, c.Object, values)
		}
		values = values[len(w.entries):]
	}
	b.store.publishWrite(version())
}

// prepare computes the index values of all changes, in their order, and takes
// the writer's lock.
func (b *batch[T]) prepare() (values [][]string, unlock func()) {
	s := b.store
	for {
		definitions := s.definitions.Load()
		values = make([][]string, 0, len(b.changes)*len(*definitions))
		for i := range b.changes {
			if c := &b.changes[i]; !c.noKey && !c.Delete {
				values = s.values(values, *definitions, c.Key, c.Object)
			}
		}
		if s.lock(definitions) {
			return values, s.mu.Unlock
		}
	}
}

// locate finds the stored object of each key. The result is valid until a key
// is added or removed.
func (b *batch[T]) locate(w *writer[T]) {
	n := w.root.keys.bound
	for i := range b.changes {
		c := &b.changes[i]
		var none T
		c.Old = none
		if c.slot, c.Existed = w.root.keys.find(c.Key, hashOf(c.Key)); c.Existed {
			c.Old = w.root.objects.get(c.slot, n)
		}
	}
}
