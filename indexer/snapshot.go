package indexer

import "iter"

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
	v := ix.at(s)
	if v == nil {
		return ix.scan(s, value)
	}
	return func(yield func(T) bool) {
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
