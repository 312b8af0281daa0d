package indexer

import (
	"iter"
	"slices"
)

// Snapshot is one version of an indexer: whatever is asked of it comes from
// the same moment. It costs nothing to take and needs no closing; while it is
// held, it keeps alive what later versions have replaced.
type Snapshot[T any] struct {
	store *store[T]
	root  *root[T]
}

// Get returns the object of a key.
func (s Snapshot[T]) Get(key string) (T, bool) { return s.root.get(key) }

// All yields every object, in no order. Nothing is copied.
func (s Snapshot[T]) All() iter.Seq[T] { return s.root.all() }

// Keys yields the key of every object, in no order.
func (s Snapshot[T]) Keys() iter.Seq[string] { return s.root.allKeys() }

// Len is the number of objects.
func (s Snapshot[T]) Len() int { return s.root.len() }

// Version is the resource version that the store had reached, as its writer
// said; "" before the first.
func (s Snapshot[T]) Version() string { return s.root.version }

// Find yields the objects that the index has filed under value. A snapshot
// that is older than the index answers too, by looking at every object. An
// index of another indexer finds nothing.
func (s Snapshot[T]) Find(ix *Index[T], value string) iter.Seq[T] {
	return func(yield func(T) bool) { s.find(ix, value, yield) }
}

// find is a function of its own, that keeps nothing of yield, so that whoever
// ranges over Find has its loop on the stack.
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
	for p, n := uint32(0), b.n.Load(); p < n; {
		slots := b.chunk(p, n)
		for _, slot := range slots {
			if slot < bound && !yield(s.root.objects.get(slot, bound)) {
				return
			}
		}
		p += uint32(len(slots))
	}
}

// FindAny yields the objects that the index has filed under any of the values,
// each of them once.
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

// FindKeys yields the keys of the objects that the index has filed under value.
// It looks at every key of the store: if an object tells its key, asking those
// of Find costs less.
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

// slotsOf yields the slots that are filed under any of the values, each once.
func (s Snapshot[T]) slotsOf(ix *Index[T], values []string) iter.Seq[uint32] {
	v := ix.at(s)
	if v == nil {
		return ix.scanSlots(s, values)
	}
	return func(yield func(uint32) bool) {
		var seen bitset
		bound := s.root.keys.bound
		for _, value := range values {
			b := v.bucket(value)
			if b == nil {
				continue
			}
			n := b.n.Load()
			for p := range n {
				slot := b.at(p, n)
				if slot >= bound || seen.has(slot) {
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

// Count is how many objects Find would yield.
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
		return b.count(s.root.keys.bound)
	}
	return 0
}

// Values yields the values that the index has entries for, in no order.
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
