package indexer

import "slices"

// entries is the writer's side of one index: under which values each slot is
// filed, and where in their buckets. Readers never see it, so it is plain
// memory, changed in place.
//
// It remembers what was filed, so the index function is asked about new
// objects only: an object that its owner has changed since, or a function
// that answers differently today, leaves no stale entry behind.
//
// The first entry of each slot stands in the writer's firsts; nearly always it
// is the only one.
type entries struct {
	// names has the value of each bucket; free are those without one.
	names []string
	free  []uint32
	// more has the further entries of the few slots that have any.
	more map[uint32][]entry
	// touched is there while AddIndex goes through the objects of the time
	// when it was called: the slots that have been written since.
	touched *bitset
}

// entry says that a slot stands at place at of the bucket of a value.
type entry struct{ value, at uint32 }

const noValue = ^uint32(0)

// first returns the first entry of a slot in index i.
func (w *writer[T]) first(i int, slot uint32) *entry {
	return &w.firsts[int(slot)*len(w.entries)+i]
}

// addEntries makes room for one more index.
func (w *writer[T]) addEntries(e *entries) {
	was, k := w.firsts, len(w.entries)
	w.entries = append(w.entries, e)
	w.firsts = make([]entry, 0, int(w.root.keys.bound)*(k+1))
	for slot := range int(w.root.keys.bound) {
		w.firsts = append(w.firsts, was[slot*k:slot*k+k]...)
		w.firsts = append(w.firsts, entry{value: noValue})
	}
}

// file makes values, each of which is there once, the ones that slot is filed
// under in index i.
func (w *writer[T]) file(i int, slot uint32, values []string) {
	e, first := w.entries[i], w.first(i, slot)
	if len(values) == 1 && first.value != noValue && e.names[first.value] == values[0] && (len(e.more) == 0 || e.more[slot] == nil) {
		return
	}
	if len(values) > 8 || len(e.more[slot]) > 8 {
		w.fileMany(i, slot, values)
		return
	}
	for j := len(e.more[slot]) - 1; j >= 0; j-- {
		if has := e.more[slot][j]; !slices.Contains(values, e.names[has.value]) {
			w.unfile(i, slot, has)
			e.drop(slot, j)
		}
	}
	if first.value != noValue && !slices.Contains(values, e.names[first.value]) {
		w.unfile(i, slot, *first)
		*first = entry{value: noValue}
		if rest := e.more[slot]; len(rest) > 0 {
			*first = rest[len(rest)-1]
			e.drop(slot, len(rest)-1)
		}
	}
	for _, value := range values {
		if !w.filed(i, slot, value) {
			w.addEntry(i, slot, w.fileUnder(i, slot, value))
		}
	}
}

// fileMany is file for objects with many values, which it does not compare each
// with each.
func (w *writer[T]) fileMany(i int, slot uint32, values []string) {
	e, first := w.entries[i], w.first(i, slot)
	filed := map[string]bool{}
	for _, value := range values {
		filed[value] = false
	}
	had := append([]entry{*first}, e.more[slot]...)
	*first = entry{value: noValue}
	delete(e.more, slot)
	for _, has := range had {
		if has.value == noValue {
			continue
		}
		name := e.names[has.value]
		if _, wanted := filed[name]; wanted {
			filed[name] = true
			w.addEntry(i, slot, has)
		} else {
			w.unfile(i, slot, has)
		}
	}
	for _, value := range values {
		if !filed[value] {
			w.addEntry(i, slot, w.fileUnder(i, slot, value))
		}
	}
}

// fileUnder puts slot into the bucket of value, which it makes if need be.
func (w *writer[T]) fileUnder(i int, slot uint32, value string) entry {
	h := hashOf(value)
	v := w.root.indexes[i]
	id, ok := v.values.find(value, h)
	if !ok {
		id = w.addValue(i, value, h)
		v = w.root.indexes[i]
	}
	b := v.buckets.get(id, v.values.bound)
	if slot < w.published {
		b = w.ownBucket(i, id)
	}
	at := b.n.Load()
	b.push(slot, w.token)
	return entry{value: id, at: at}
}

// unfile takes slot out of a bucket, and the bucket out of the index when
// that leaves it empty.
func (w *writer[T]) unfile(i int, slot uint32, has entry) {
	e := w.entries[i]
	b := w.ownBucket(i, has.value)
	moved := b.removeAt(has.at, w.token)
	if moved != slot {
		w.entry(i, moved, has.value).at = has.at
	}
	if b.n.Load() > 0 {
		return
	}
	v := w.index(i)
	name := e.names[has.value]
	v.values.remove(name, hashOf(name), w.token)
	v.buckets.clear(has.value, v.values.bound, w.token)
	e.names[has.value] = ""
	e.free = append(e.free, has.value)
}

// addValue makes an empty bucket for a value.
func (w *writer[T]) addValue(i int, value string, h hash) (id uint32) {
	e, v := w.entries[i], w.index(i)
	b := &bucket{owner: w.token}
	if last := len(e.free) - 1; last >= 0 {
		id = e.free[last]
		e.free = e.free[:last]
		e.names[id] = value
		v.buckets.set(id, v.values.bound, b, w.token)
	} else {
		id = v.values.bound
		e.names = append(e.names, value)
		v.buckets.push(id, b, w.token)
		v.buckets.trim(id + 1)
	}
	v.values.insert(value, h, id, w.token)
	return id
}

func (w *writer[T]) ownBucket(i int, id uint32) *bucket {
	v := w.root.indexes[i]
	b := v.buckets.get(id, v.values.bound)
	mine := b.own(w.token)
	if mine != b {
		v = w.index(i)
		v.buckets.set(id, v.values.bound, mine, w.token)
	}
	return mine
}

func (w *writer[T]) filed(i int, slot uint32, value string) bool {
	e, first := w.entries[i], w.first(i, slot)
	if first.value == noValue {
		return false
	}
	return e.names[first.value] == value ||
		slices.ContainsFunc(e.more[slot], func(has entry) bool { return e.names[has.value] == value })
}

func (w *writer[T]) addEntry(i int, slot uint32, has entry) {
	e, first := w.entries[i], w.first(i, slot)
	if first.value == noValue {
		*first = has
		return
	}
	if e.more == nil {
		e.more = map[uint32][]entry{}
	}
	e.more[slot] = append(e.more[slot], has)
}

// entry returns the entry of a slot that is filed under the value.
func (w *writer[T]) entry(i int, slot, value uint32) *entry {
	first := w.first(i, slot)
	if first.value == value {
		return first
	}
	rest := w.entries[i].more[slot]
	return &rest[slices.IndexFunc(rest, func(has entry) bool { return has.value == value })]
}

// valuesOf returns the values that a slot is filed under.
func (w *writer[T]) valuesOf(i int, slot uint32) []string {
	e, first := w.entries[i], w.first(i, slot)
	if first.value == noValue {
		return nil
	}
	values := []string{e.names[first.value]}
	for _, has := range e.more[slot] {
		values = append(values, e.names[has.value])
	}
	return values
}

// drop forgets entry j of those behind the first.
func (e *entries) drop(slot uint32, j int) {
	if rest := slices.Delete(e.more[slot], j, j+1); len(rest) > 0 {
		e.more[slot] = rest
	} else {
		delete(e.more, slot)
	}
}

func (e *entries) touch(slot uint32) {
	if e.touched != nil {
		e.touched.set(slot)
	}
}
