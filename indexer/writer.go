package indexer

import "slices"

// writer creates the next root from the last one. It has no lock and calls no
// user function. The store passes it keys and computed index values, and
// publishes the result of commit.
type writer[T any] struct {
	// root is the root under construction. Between writes it equals the
	// published one.
	root root[T]
	// token marks the nodes that the current write has copied or created.
	token token
	// published is the number of slots that readers may know. Slots from there
	// on are new in this write: see table and bucket.
	published uint32
	// indexesCopied: the current write has copied root.indexes.
	indexesCopied bool
	// free has the slots that have no object and are in no bucket. holes has
	// the slots without an object that are still in buckets. Removing one slot
	// from a bucket copies as much as removing many, so many are removed at
	// once. All are below root.keys.bound.
	free  []uint32
	holes []uint32
	// entries are the writer's parts of root.indexes, in the same order.
	entries []*entries
	// firstEntries has the first entry of each slot in each index. The entries
	// of a slot are adjacent, because a write needs all of them.
	firstEntries []entry
	// keysChanged: the current write has added or removed a key.
	keysChanged bool
}

// maxHoles is the maximum number of holes; there is also at most one hole for
// eight objects. One write removes all holes from the buckets, and takes longer
// for that.
const maxHoles = 1024

// begin starts a write. All its changes become visible together, after commit.
func (w *writer[T]) begin() {
	w.token++
	w.published = w.root.keys.bound
	w.indexesCopied, w.keysChanged = false, false
}

// commit ends the write and returns its root.
func (w *writer[T]) commit() *root[T] {
	if live, slots := w.root.keys.live, w.root.keys.bound; slots > 4*leafSize && live < slots/4 && !w.indexBeingAdded() {
		w.compact()
	}
	if holes := uint32(len(w.holes)); holes > maxHoles || holes > 2*leafSize && holes > w.root.keys.live/8 {
		w.removeHoles()
	}
	w.root.objects.trim(w.root.keys.bound)
	committed := w.root
	return &committed
}

// put stores obj under key with values[i] in index i. It returns the slot and
// the object stored before.
func (w *writer[T]) put(key string, obj T, values [][]string) (slot uint32, old T, existed bool) {
	h := hashOf(key)
	if slot, existed = w.root.keys.find(key, h); existed {
		return slot, w.update(slot, obj, values), true
	}
	slot = w.insert(key, h, obj)
	w.setAllValues(slot, values)
	return slot, old, false
}

// update replaces the object in a slot.
func (w *writer[T]) update(slot uint32, obj T, values [][]string) (old T) {
	l, i := w.root.objects.writable(slot, w.root.keys.bound, w.token), slot&(leafSize-1)
	old, l.items[i] = l.items[i], obj
	w.setAllValues(slot, values)
	return old
}

func (w *writer[T]) setAllValues(slot uint32, values [][]string) {
	for i, e := range w.entries {
		e.noteWritten(slot)
		w.setValues(i, slot, values[i])
	}
}

// insert stores obj in a free slot, or in a new one if none is free.
func (w *writer[T]) insert(key string, h hash, obj T) (slot uint32) {
	w.keysChanged = true
	n := w.root.keys.bound
	if last := len(w.free) - 1; last >= 0 {
		slot = w.free[last]
		w.free = w.free[:last]
		w.root.objects.set(slot, n, obj, w.token)
	} else {
		slot = n
		w.root.objects.push(n, obj, w.token)
		for range w.entries {
			w.firstEntries = append(w.firstEntries, entry{value: noValue})
		}
	}
	w.root.keys.insert(key, h, slot, w.token)
	return slot
}

// remove removes the object of a key.
func (w *writer[T]) remove(key string) (old T, existed bool) {
	h := hashOf(key)
	slot, existed := w.root.keys.find(key, h)
	if !existed {
		return old, false
	}
	w.keysChanged = true
	n := w.root.keys.bound
	old = w.root.objects.get(slot, n)
	inBuckets := false
	for i, e := range w.entries {
		e.noteWritten(slot)
		inBuckets = w.addHoles(i, slot) || inBuckets
	}
	w.root.keys.remove(key, h, w.token)
	w.root.objects.clear(slot, n, w.token)
	if inBuckets {
		w.holes = append(w.holes, slot)
	} else {
		w.free = append(w.free, slot)
	}
	return old, true
}

// removeHoles removes the holes from the buckets, and makes their slots free.
func (w *writer[T]) removeHoles() {
	for _, slot := range w.holes {
		for i := range w.entries {
			w.removeFromBuckets(i, slot)
		}
	}
	w.free = append(w.free, w.holes...)
	w.holes = w.holes[:0]
}

// retain removes every object whose slot is not in keep.
func (w *writer[T]) retain(keep bitset) {
	var removed []string
	for key, slot := range w.root.keys.all() {
		if !keep.has(slot) {
			removed = append(removed, key)
		}
	}
	for _, key := range removed {
		w.remove(key)
	}
}

// index returns the part of the root for index i, with fields that may be
// changed.
func (w *writer[T]) index(i int) *indexVersion {
	if !w.indexesCopied {
		w.root.indexes = append([]*indexVersion(nil), w.root.indexes...)
		w.indexesCopied = true
	}
	if v := w.root.indexes[i]; v.owner != w.token {
		owned := *v
		owned.owner = w.token
		w.root.indexes[i] = &owned
	}
	return w.root.indexes[i]
}

// indexBeingAdded reports whether AddIndex is running, which requires that
// slots do not change.
func (w *writer[T]) indexBeingAdded() bool {
	return slices.ContainsFunc(w.entries, func(e *entries) bool { return e.writtenSlots != nil })
}

// compact moves all objects to the lowest slots, in new nodes, to release the
// memory of a store that has become smaller. When it is called, three quarters
// of the slots are free, so it takes less time than the removals before it.
func (w *writer[T]) compact() {
	old := *w
	w.root = root[T]{version: old.root.version}
	w.free, w.holes, w.entries, w.firstEntries = nil, nil, nil, nil
	w.published = 0
	w.root.keys.reserve(int(old.root.keys.live), w.token)
	for _, v := range old.root.indexes {
		w.root.indexes = append(w.root.indexes, &indexVersion{owner: w.token, ready: v.ready})
		w.entries = append(w.entries, new(entries))
	}
	w.indexesCopied = true
	for key, slot := range old.root.keys.all() {
		to := w.insert(key, hashOf(key), old.root.objects.get(slot, old.root.keys.bound))
		for i := range w.entries {
			w.setValues(i, to, old.valuesOf(i, slot))
		}
	}
}
