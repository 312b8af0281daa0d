package indexer

import "slices"

// entries is the writer's part of one index: the values of each slot, and its
// positions in their buckets. It is changed in place, because readers never see
// it.
//
// It stores the values that were added, so that the index function is called
// for new objects only. No stale entry remains if the object was changed after
// it was stored, or if the function later returns other values.
//
// The first entry of each slot is in writer.firstEntries. Most slots have no
// other entry.
type entries struct {
	// valueOf has the value of each bucket. free has the ids of buckets without
	// a value.
	valueOf []string
	free    []uint32
	// more has the further entries of slots with several values.
	more map[uint32][]entry
	// writtenSlots has the slots that were written since AddIndex began to add
	// the existing objects; nil if it is not running.
	writtenSlots *bitset
}

// entry is the position of a slot in the bucket of a value.
type entry struct{ value, position uint32 }

const noValue = ^uint32(0)

// first returns the first entry of a slot in index i.
func (w *writer[T]) first(i int, slot uint32) *entry {
	return &w.firstEntries[int(slot)*len(w.entries)+i]
}

// addEntries adds an index without entries.
func (w *writer[T]) addEntries(e *entries) {
	old, k := w.firstEntries, len(w.entries)
	w.entries = append(w.entries, e)
	w.firstEntries = make([]entry, 0, int(w.root.keys.bound)*(k+1))
	for slot := range int(w.root.keys.bound) {
		w.firstEntries = append(w.firstEntries, old[slot*k:slot*k+k]...)
		w.firstEntries = append(w.firstEntries, entry{value: noValue})
	}
}

// setValues sets the values of a slot in index i. The values must be distinct.
func (w *writer[T]) setValues(i int, slot uint32, values []string) {
	e, first := w.entries[i], w.first(i, slot)
	if len(values) == 1 && first.value != noValue && e.valueOf[first.value] == values[0] && (len(e.more) == 0 || e.more[slot] == nil) {
		return
	}
	if len(values) > 8 || len(e.more[slot]) > 8 {
		w.setManyValues(i, slot, values)
		return
	}
	for j := len(e.more[slot]) - 1; j >= 0; j-- {
		if ent := e.more[slot][j]; !slices.Contains(values, e.valueOf[ent.value]) {
			w.removeFromBucket(i, slot, ent)
			e.dropMore(slot, j)
		}
	}
	if first.value != noValue && !slices.Contains(values, e.valueOf[first.value]) {
		w.removeFromBucket(i, slot, *first)
		w.removeEntry(i, slot, first.value)
	}
	for _, value := range values {
		if !w.hasValue(i, slot, value) {
			w.addEntry(i, slot, w.addToBucket(i, slot, value))
		}
	}
}

// setManyValues is setValues for many values. It does not compare each value
// with each of the others.
func (w *writer[T]) setManyValues(i int, slot uint32, values []string) {
	e, first := w.entries[i], w.first(i, slot)
	kept := map[string]bool{}
	for _, value := range values {
		kept[value] = false
	}
	old := append([]entry{*first}, e.more[slot]...)
	*first = entry{value: noValue}
	delete(e.more, slot)
	for _, ent := range old {
		if ent.value == noValue {
			continue
		}
		name := e.valueOf[ent.value]
		if _, wanted := kept[name]; wanted {
			kept[name] = true
			w.addEntry(i, slot, ent)
		} else {
			w.removeFromBucket(i, slot, ent)
		}
	}
	for _, value := range values {
		if !kept[value] {
			w.addEntry(i, slot, w.addToBucket(i, slot, value))
		}
	}
}

// addToBucket adds a slot to the bucket of a value, and creates the bucket if
// necessary.
func (w *writer[T]) addToBucket(i int, slot uint32, value string) entry {
	h := hashOf(value)
	v := w.root.indexes[i]
	id, ok := v.values.find(value, h)
	if !ok {
		id = w.addValue(i, value, h)
		v = w.root.indexes[i]
	}
	b := v.buckets.get(id, v.values.bound)
	if slot < w.published {
		b = w.writableBucket(i, id)
	}
	position := b.n.Load()
	b.push(slot, w.token)
	return entry{value: id, position: position}
}

// addHoles counts a slot, whose object is being removed, as a hole of each of
// its buckets. This copies nothing: readers look for holes in the objects of
// their own version. removeHoles removes the slot later. addHoles reports
// whether the slot is in a bucket.
func (w *writer[T]) addHoles(i int, slot uint32) (inBuckets bool) {
	e, first := w.entries[i], w.first(i, slot)
	for j := len(e.more[slot]) - 1; j >= 0; j-- {
		w.addHole(i, e.more[slot][j].value)
	}
	if first.value != noValue {
		w.addHole(i, first.value)
	}
	return first.value != noValue
}

func (w *writer[T]) addHole(i int, value uint32) {
	v := w.root.indexes[i]
	b := v.buckets.get(value, v.values.bound)
	if b.holes.Add(1) == b.n.Load() {
		w.dropBucket(i, value, b)
	}
}

// removeFromBuckets removes a slot without an object from its buckets.
func (w *writer[T]) removeFromBuckets(i int, slot uint32) {
	for first := w.first(i, slot); first.value != noValue; {
		ent := *first
		w.writableBucket(i, ent.value).holes.Add(^uint32(0))
		w.removeFromBucket(i, slot, ent)
		w.removeEntry(i, slot, ent.value)
	}
}

// removeFromBucket removes a slot from a bucket, and the bucket from the index
// if it then has only holes.
func (w *writer[T]) removeFromBucket(i int, slot uint32, ent entry) {
	b := w.writableBucket(i, ent.value)
	moved := b.removeAt(ent.position, w.token)
	if moved != slot {
		w.entry(i, moved, ent.value).position = ent.position
	}
	if b.n.Load() == b.holes.Load() {
		w.dropBucket(i, ent.value, b)
	}
}

// dropBucket removes b, which has only holes, from the index.
func (w *writer[T]) dropBucket(i int, value uint32, b *bucket) {
	for p, n := uint32(0), b.n.Load(); p < n; p++ {
		w.removeEntry(i, b.at(p, n), value)
	}
	e, v := w.entries[i], w.index(i)
	name := e.valueOf[value]
	v.values.remove(name, hashOf(name), w.token)
	v.buckets.clear(value, v.values.bound, w.token)
	e.valueOf[value] = ""
	e.free = append(e.free, value)
}

// addValue creates an empty bucket for a value.
func (w *writer[T]) addValue(i int, value string, h hash) (id uint32) {
	e, v := w.entries[i], w.index(i)
	b := &bucket{owner: w.token}
	if last := len(e.free) - 1; last >= 0 {
		id = e.free[last]
		e.free = e.free[:last]
		e.valueOf[id] = value
		v.buckets.set(id, v.values.bound, b, w.token)
	} else {
		id = v.values.bound
		e.valueOf = append(e.valueOf, value)
		v.buckets.push(id, b, w.token)
		v.buckets.trim(id + 1)
	}
	v.values.insert(value, h, id, w.token)
	return id
}

func (w *writer[T]) writableBucket(i int, id uint32) *bucket {
	v := w.root.indexes[i]
	b := v.buckets.get(id, v.values.bound)
	owned := b.writable(w.token)
	if owned != b {
		v = w.index(i)
		v.buckets.set(id, v.values.bound, owned, w.token)
	}
	return owned
}

func (w *writer[T]) hasValue(i int, slot uint32, value string) bool {
	e, first := w.entries[i], w.first(i, slot)
	if first.value == noValue {
		return false
	}
	return e.valueOf[first.value] == value ||
		slices.ContainsFunc(e.more[slot], func(ent entry) bool { return e.valueOf[ent.value] == value })
}

func (w *writer[T]) addEntry(i int, slot uint32, ent entry) {
	e, first := w.entries[i], w.first(i, slot)
	if first.value == noValue {
		*first = ent
		return
	}
	if e.more == nil {
		e.more = map[uint32][]entry{}
	}
	e.more[slot] = append(e.more[slot], ent)
}

// entry returns the entry of a slot for a value.
func (w *writer[T]) entry(i int, slot, value uint32) *entry {
	first := w.first(i, slot)
	if first.value == value {
		return first
	}
	others := w.entries[i].more[slot]
	return &others[slices.IndexFunc(others, func(ent entry) bool { return ent.value == value })]
}

// removeEntry removes the entry of a slot for a value.
func (w *writer[T]) removeEntry(i int, slot, value uint32) {
	e, first := w.entries[i], w.first(i, slot)
	others := e.more[slot]
	switch {
	case first.value != value:
		e.dropMore(slot, slices.IndexFunc(others, func(ent entry) bool { return ent.value == value }))
	case len(others) > 0:
		*first = others[len(others)-1]
		e.dropMore(slot, len(others)-1)
	default:
		*first = entry{value: noValue}
	}
}

// valuesOf returns the values of a slot.
func (w *writer[T]) valuesOf(i int, slot uint32) []string {
	e, first := w.entries[i], w.first(i, slot)
	if first.value == noValue {
		return nil
	}
	values := []string{e.valueOf[first.value]}
	for _, ent := range e.more[slot] {
		values = append(values, e.valueOf[ent.value])
	}
	return values
}

// dropMore removes entry j from the further entries of a slot.
func (e *entries) dropMore(slot uint32, j int) {
	if others := slices.Delete(e.more[slot], j, j+1); len(others) > 0 {
		e.more[slot] = others
	} else {
		delete(e.more, slot)
	}
}

func (e *entries) noteWritten(slot uint32) {
	if e.writtenSlots != nil {
		e.writtenSlots.set(slot)
	}
}
