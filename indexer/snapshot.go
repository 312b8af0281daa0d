package indexer

import (
	"iter"
	"slices"
)

// Snapshot is one version of an Indexer. Taking a Snapshot costs nothing, and
// it need not be closed. It keeps alive the objects that later versions have
// replaced.
type Snapshot[T any] struct {
	store *store[T]
	root  *root[T]
}

// Get returns the object with the given key.
func (s Snapshot[T]) Get(key string) (T, bool) { return s.root.get(key) }

// All yields all objects, in no particular order, without copying them.
func (s Snapshot[T]) All() iter.Seq[T] { return s.root.all() }

// Keys yields the key of every object, in no particular order.
func (s Snapshot[T]) Keys() iter.Seq[string] { return s.root.allKeys() }

// Len returns the number of objects.
func (s Snapshot[T]) Len() int { return s.root.len() }

// Version returns the resource version of the snapshot, or "" if the store had
// none yet.
func (s Snapshot[T]) Version() string { return s.root.version }

// Revision counts the writes of objects up to the snapshot. A newer snapshot of
// the same Indexer has the same revision or a higher one; unlike a resource version, a
// revision never goes back.
func (s Snapshot[T]) Revision() uint64 { return s.root.revision }

// Find yields the objects with the given index value. For a snapshot that is
// older than the index it examines every object. An index of another Indexer
// yields nothing.
func (s Snapshot[T]) Find(ix *Index[T], value string) iter.Seq[T] {
	return func(yield func(T) bool) { s.find(ix, value, yield) }
}

// find is a separate function that does not retain yield, so that the loop body
// of a range over Find stays on the stack.
func (s Snapshot[T]) find(ix *Index[T], value string, yield func(T) bool) {
	v := ix.at(s)
	if v == nil {
		for _, obj := range slices.Collect(ix.scan(s, value)) {
			if !yield(obj) {
				return
			}
		}
		return
	}
	b := v.bucket(value)
	if b == nil {
		return
	}
	bound := s.root.keys.bound
	for slot := range s.root.slots(b) {
		if !yield(s.root.objects.get(slot, bound)) {
			return
		}
	}
}

// FindAny yields the objects that have any of the given index values, each of
// them once.
func (s Snapshot[T]) FindAny(ix *Index[T], values []string) iter.Seq[T] {
	if len(values) == 1 {
		return s.Find(ix, values[0])
	}
	return func(yield func(T) bool) {
		for slot := range s.slotsOf(ix, values) {
			if !yield(s.root.objects.get(slot, s.root.keys.bound)) {
				return
			}
		}
	}
}

// FindKeys yields the keys of the objects with the given index value. It
// examines every key of the store. If the key follows from the object, use
// Find, which is faster.
func (s Snapshot[T]) FindKeys(ix *Index[T], value string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var wanted bitset
		for slot := range s.slotsOf(ix, []string{value}) {
			wanted.set(slot)
		}
		if len(wanted) == 0 {
			return
		}
		for key, slot := range s.root.keys.all() {
			if wanted.has(slot) && !yield(key) {
				return
			}
		}
	}
}

// slotsOf yields the slots that have any of the values, each once.
func (s Snapshot[T]) slotsOf(ix *Index[T], values []string) iter.Seq[uint32] {
	v := ix.at(s)
	if v == nil {
		return ix.scanSlots(s, values)
	}
	return func(yield func(uint32) bool) {
		var seen bitset
		for _, value := range values {
			b := v.bucket(value)
			if b == nil {
				continue
			}
			for slot := range s.root.slots(b) {
				if seen.has(slot) {
					continue
				}
				seen.set(slot)
				if !yield(slot) {
					return
				}
			}
		}
	}
}

// CountAtMost returns an upper bound of Count, for the capacity of a slice. It may
// include deleted objects whose entries are not yet removed.
func (s Snapshot[T]) CountAtMost(ix *Index[T], value string) int {
	v := ix.at(s)
	if v == nil {
		return s.Count(ix, value)
	}
	if b := v.bucket(value); b != nil {
		return b.count(s.root.keys.bound)
	}
	return 0
}

// Count returns how many objects Find would yield. After a Delete it takes time in
// proportion to that number, until the entries of deleted objects are removed.
func (s Snapshot[T]) Count(ix *Index[T], value string) int {
	v := ix.at(s)
	if v == nil {
		n := 0
		for range ix.scan(s, value) {
			n++
		}
		return n
	}
	if b := v.bucket(value); b != nil {
		return s.root.count(b)
	}
	return 0
}

// Values yields the values that the index has entries for, in no particular
// order.
func (s Snapshot[T]) Values(ix *Index[T]) iter.Seq[string] {
	return func(yield func(string) bool) {
		v := ix.at(s)
		if v == nil {
			seen := map[string]bool{}
			for values := range ix.scanAll(s) {
				for _, value := range values {
					if !seen[value] && !yield(value) {
						return
					}
					seen[value] = true
				}
			}
			return
		}
		for value := range v.values.all() {
			if !yield(value) {
				return
			}
		}
	}
}
