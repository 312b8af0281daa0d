package indexer

import (
	"iter"
	"slices"
	"sync/atomic"
)

// Index is a handle to an index of an Indexer. It may be used from any
// goroutine.
type Index[T any] struct {
	store *store[T]
	def   *indexDefinition[T]
	// number is the position of this index in root.indexes.
	number int
}

// indexDefinition has the parts of an index that are the same in all versions.
type indexDefinition[T any] struct {
	name   string
	values func(T) []string
	// label is the label of a label index, "" for other indexes.
	label  string
	panics atomic.Uint64
	// handle is the result of AddIndex. It is set before readers can see the
	// definition, and never changes.
	handle *Index[T]
}

// Name returns the name that the index was added with.
func (ix *Index[T]) Name() string { return ix.def.name }

// BelongsTo reports whether the index is one of the Indexer that r reads.
func (ix *Index[T]) BelongsTo(r Reader[T]) bool { return ix.store == r.store }

// Find yields the objects with the given index value, from one version of the
// store.
func (ix *Index[T]) Find(value string) iter.Seq[T] { return ix.store.snapshot().Find(ix, value) }

// Count returns how many objects Find would yield. After a Delete it takes time
// proportional to that number, until the entries of deleted objects are removed.
func (ix *Index[T]) Count(value string) int { return ix.store.snapshot().Count(ix, value) }

// Values yields the values that at least one object has, in no particular order,
// from one version of the store.
func (ix *Index[T]) Values() iter.Seq[string] { return ix.store.snapshot().Values(ix) }

// ValuesOf returns the index values of obj, which need not be stored, without
// duplicates. If the index function panics, so does ValuesOf.
func (ix *Index[T]) ValuesOf(obj T) []string { return deduplicate(ix.def.values(obj)) }

// Panics returns how often the index function has panicked. After a panic the
// object has no entries in this index.
func (ix *Index[T]) Panics() uint64 { return ix.def.panics.Load() }

// at returns the part of a root that belongs to the index; nil if the root is
// older than the index or belongs to another Indexer.
func (ix *Index[T]) at(s Snapshot[T]) *indexVersion {
	if s.store != ix.store || ix.number >= len(s.root.indexes) || !s.root.indexes[ix.number].ready {
		return nil
	}
	return s.root.indexes[ix.number]
}

// scan is Find for a snapshot that is older than the index.
func (ix *Index[T]) scan(s Snapshot[T], value string) iter.Seq[T] {
	return func(yield func(T) bool) {
		for slot := range ix.scanSlots(s, []string{value}) {
			if !yield(s.root.objects.get(slot, s.root.keys.bound)) {
				return
			}
		}
	}
}

// scanSlots yields the slots of s whose objects have any of the values.
func (ix *Index[T]) scanSlots(s Snapshot[T], wanted []string) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for values, slot := range ix.scanAll(s) {
			if slices.ContainsFunc(values, func(v string) bool { return slices.Contains(wanted, v) }) && !yield(slot) {
				return
			}
		}
	}
}

// scanAll yields each slot of s with the index values of its object.
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
