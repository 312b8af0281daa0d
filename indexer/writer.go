package indexer

import "slices"

// writer builds the next root from the last one. It has no lock and calls
// nothing of a user's: the store gives it keys and index values that are
// computed already, and publishes what commit returns.
type writer[T any] struct {
	// root is the one being built. Between writes it equals the published one.
	root root[T]
	// token marks what the current write has copied or made.
	token token
	// published is the number of slots that readers may know of. Slots from
	// there on are new in this write: see table and bucket.
	published uint32
	// ownsList is set when root.indexes was copied by the current write.
	ownsList bool
	// free are the slots without an object, all below root.keys.bound.
	free []uint32
	// entries are the writer's side of root.indexes, in the same order.
	entries []*entries
	// firsts has the first entry of each slot in each index: those of a slot
	// side by side, since a write needs all of them.
	firsts []entry
	// rekeyed is set when the current write has added or removed a key.
	rekeyed bool
}

// begin starts a write. Everything done until commit becomes visible at once.
func (w *writer[T]) begin() {
	w.token++
	w.published = w.root.keys.bound
	w.ownsList, w.rekeyed = false, false
}

// commit ends the write and returns its root.
func (w *writer[T]) commit() *root[T] {
	if live, slots := w.root.keys.live, w.root.keys.bound; slots > 4*leafSize && live < slots/4 && !w.building() {
		w.compact()
	}
	w.root.objects.trim(w.root.keys.bound)
	done := w.root
	return &done
}

// put stores obj under key, filed under values[i] in index i. It returns the
// slot, and what was stored there before.
func (w *writer[T]) put(key string, obj T, values [][]string) (slot uint32, old T, existed bool) {
	h := hashOf(key)
	if slot, existed = w.root.keys.find(key, h); existed {
		return slot, w.update(slot, obj, values), true
	}
	slot = w.insert(key, h, obj)
	w.fileAll(slot, values)
	return slot, old, false
}

// update stores obj in the place of what is in slot.
func (w *writer[T]) update(slot uint32, obj T, values [][]string) (old T) {
	l, i := w.root.objects.own(slot, w.root.keys.bound, w.token), slot&(leafSize-1)
	old, l.items[i] = l.items[i], obj
	w.fileAll(slot, values)
	return old
}

func (w *writer[T]) fileAll(slot uint32, values [][]string) {
	for i, e := range w.entries {
		e.touch(slot)
		w.file(i, slot, values[i])
	}
}

// insert gives obj a slot: a free one, else a new one.
func (w *writer[T]) insert(key string, h hash, obj T) (slot uint32) {
	w.rekeyed = true
	n := w.root.keys.bound
	if last := len(w.free) - 1; last >= 0 {
		slot = w.free[last]
		w.free = w.free[:last]
		w.root.objects.set(slot, n, obj, w.token)
	} else {
		slot = n
		w.root.objects.push(n, obj, w.token)
		for range w.entries {
			w.firsts = append(w.firsts, entry{value: noValue})
		}
	}
	w.root.keys.insert(key, h, slot, w.token)
	return slot
}

// remove takes the object of a key out.
func (w *writer[T]) remove(key string) (old T, existed bool) {
	h := hashOf(key)
	slot, existed := w.root.keys.find(key, h)
	if !existed {
		return old, false
	}
	w.rekeyed = true
	n := w.root.keys.bound
	old = w.root.objects.get(slot, n)
	for i, e := range w.entries {
		e.touch(slot)
		w.file(i, slot, nil)
	}
	w.root.keys.remove(key, h, w.token)
	w.root.objects.clear(slot, n, w.token)
	w.free = append(w.free, slot)
	return old, true
}

// retain removes every object whose slot is not in keep.
func (w *writer[T]) retain(keep bitset) {
	var gone []string
	for key, slot := range w.root.keys.all() {
		if !keep.has(slot) {
			gone = append(gone, key)
		}
	}
	for _, key := range gone {
		w.remove(key)
	}
}

// index returns index i's part of the root, for changing its fields.
func (w *writer[T]) index(i int) *indexVersion {
	if !w.ownsList {
		w.root.indexes = append([]*indexVersion(nil), w.root.indexes...)
		w.ownsList = true
	}
	if v := w.root.indexes[i]; v.owner != w.token {
		mine := *v
		mine.owner = w.token
		w.root.indexes[i] = &mine
	}
	return w.root.indexes[i]
}

// building reports whether AddIndex is under way somewhere: it counts on the
// slots staying the same.
func (w *writer[T]) building() bool {
	return slices.ContainsFunc(w.entries, func(e *entries) bool { return e.touched != nil })
}

// compact moves everything to the lowest slots, into new nodes, so that a
// store which was large once does not stay so. Since three quarters of the
// slots are free when it is called, it costs less than what freed them.
func (w *writer[T]) compact() {
	was := *w
	w.root = root[T]{version: was.root.version}
	w.free, w.entries, w.firsts = nil, nil, nil
	w.published = 0
	w.root.keys.reserve(int(was.root.keys.live), w.token)
	for _, v := range was.root.indexes {
		w.root.indexes = append(w.root.indexes, &indexVersion{owner: w.token, ready: v.ready})
		w.entries = append(w.entries, new(entries))
	}
	w.ownsList = true
	for key, slot := range was.root.keys.all() {
		to := w.insert(key, hashOf(key), was.root.objects.get(slot, was.root.keys.bound))
		for i := range w.entries {
			w.file(i, to, was.valuesOf(i, slot))
		}
	}
}
