package indexer

import (
	"iter"
	"slices"
	"sync/atomic"
)

// Index is an index of one indexer: the handle to ask it. It can be used by
// any goroutine, for as long as the indexer.
type Index[T any] struct {
	store *store[T]
	def   *definition[T]
	// number is the place of this index in a root's list.
	number int
}

// definition is what an index is made of, the same for all versions.
type definition[T any] struct {
	name   string
	values func(T) []string
	// label is the label that the index is over, "" if it is not over one.
	label  string
	panics atomic.Uint64
	// handle is what AddIndex returned: it is set before readers know of the
	// definition, and never again.
	handle *Index[T]
}

// Name is the name that the index was added by.
func (ix *Index[T]) Name() string { return ix.def.name }

// Find yields the objects that the index has filed under value, from one
// version of the store. For a value that no object has it yields nothing.
func (ix *Index[T]) Find(value string) iter.Seq[T] { return ix.store.snapshot().Find(ix, value) }

// Count is how many objects Find would yield. It does not look at them.
func (ix *Index[T]) Count(value string) int { return ix.store.snapshot().Count(ix, value) }

// Values yields the values that at least one object has, in no order, from
// one version of the store.
func (ix *Index[T]) Values() iter.Seq[string] { return ix.store.snapshot().Values(ix) }

// ValuesOf is what the index's function says of obj, which need not be stored,
// with each value once. If the function panics, so does ValuesOf.
func (ix *Index[T]) ValuesOf(obj T) []string { return distinct(ix.def.values(obj)) }

// Panics is how often the index's function has panicked. Each time cost the
// object its entries in this index, and nothing else.
func (ix *Index[T]) Panics() uint64 { return ix.def.panics.Load() }

// at returns the index's part of a root, nil if the root is older than the
// index or belongs to another indexer.
func (ix *Index[T]) at(s Snapshot[T]) *indexVersion {
	if s.store != ix.store || ix.number >= len(s.root.indexes) || !s.root.indexes[ix.number].ready {
		return nil
	}
	return s.root.indexes[ix.number]
}

// scan answers from a snapshot that is older than the index.
func (ix *Index[T]) scan(s Snapshot[T], value string) iter.Seq[T] {
	return func(yield func(T) bool) {
		for slot := range ix.scanSlots(s, []string{value}) {
			if !yield(s.root.objects.get(slot, s.root.keys.bound)) {
				return
			}
		}
	}
}

func (ix *Index[T]) scanSlots(s Snapshot[T], wanted []string) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for values, slot := range ix.scanAll(s) {
			if slices.ContainsFunc(values, func(v string) bool { return slices.Contains(wanted, v) }) && !yield(slot) {
				return
			}
		}
	}
}

// scanAll yields each slot of s with the values that the index would file its
// object under.
func (ix *Index[T]) scanAll(s Snapshot[T]) iter.Seq2[[]string, uint32] {
	return func(yield func([]string, uint32) bool) {
		if s.store != ix.store {
			return
		}
		for key, slot := range s.root.keys.all() {
			obj := s.root.objects.get(slot, s.root.keys.bound)
			if !yield(s.store.valuesOf(ix.def, key, obj), slot) {
				return
			}
		}
	}
}
