package indexer

import (
	"fmt"
	"maps"
	"slices"
)

// AddIndex adds an index: an object is found under each value that f returns for
// it. AddIndex may be called at any time from any goroutine. When it returns,
// the index contains the existing objects. Readers and writers do not wait while
// f is called for them.
//
// f is called once for each stored object, on the goroutine that stores it, and
// for queries of Snapshots that are older than the index. It must not keep or
// change the object. If it panics, the object is not in this index, and
// Index.Panics counts the panic.
//
// Possible errors: ErrIndexExists, ErrNoIndexFunc, ErrReadOnly.
func (ix *Indexer[T]) AddIndex(name string, f func(T) []string) (*Index[T], error) {
	def := &indexDefinition[T]{name: name, values: f}
	if err := ix.writable.addIndexes(def); err != nil {
		return nil, err
	}
	return def.handle, nil
}

// AddIndexes adds an index for each function under its name, like AddIndex: all
// of them, or none if there is an error.
//
// Possible errors: ErrIndexExists, ErrNoIndexFunc, ErrReadOnly.
func (ix *Indexer[T]) AddIndexes(functions map[string]func(T) []string) error {
	var definitions []*indexDefinition[T]
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		definitions = append(definitions, &indexDefinition[T]{name: name, values: functions[name]})
	}
	return ix.writable.addIndexes(definitions...)
}

// indexChunk is how many objects AddIndex adds per acquisition of the lock.
const indexChunk = 256

// addIndexes returns ErrReadOnly if s is nil, because an index runs a function
// on each write.
func (s *store[T]) addIndexes(added ...*indexDefinition[T]) error {
	if s == nil {
		return ErrReadOnly
	}
	for _, def := range added {
		if def.values == nil {
			return fmt.Errorf("indexer: adding index %q: %w", def.name, ErrNoIndexFunc)
		}
	}
	seen, err := s.registerIndexes(added)
	if err != nil {
		return err
	}
	// From here on writers update the new indexes and record the slots that they
	// write. The remaining objects are those of seen in other slots.
	filled := 0
	defer func() {
		for i, def := range added {
			s.publishIndex(def.handle.number, i < filled)
		}
	}()
	for _, def := range added {
		s.fillIndex(def, seen)
		filled++
	}
	return nil
}

// fillIndex adds the objects of seen to the index of def.
func (s *store[T]) fillIndex(def *indexDefinition[T], seen *root[T]) {
	n := seen.keys.bound
	slots := make([]uint32, 0, indexChunk)
	values := make([][]string, 0, indexChunk)
	for key, slot := range seen.keys.all() {
		slots = append(slots, slot)
		values = append(values, s.valuesOf(def, key, seen.objects.get(slot, n)))
		if len(slots) == indexChunk {
			s.indexUnwritten(def.handle.number, slots, values)
			slots, values = slots[:0], values[:0]
		}
	}
	s.indexUnwritten(def.handle.number, slots, values)
}

// registerIndexes makes indexes visible to writers but not yet to readers, and
// assigns their numbers. It returns the root whose objects have to be added.
func (s *store[T]) registerIndexes(added []*indexDefinition[T]) (seen *root[T], err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	definitions := slices.Clone(*s.definitions.Load())
	for _, def := range added {
		if slices.ContainsFunc(definitions, func(d *indexDefinition[T]) bool { return d.name == def.name }) {
			return nil, fmt.Errorf("indexer: adding index %q: %w", def.name, ErrIndexExists)
		}
	}
	seen = s.current.Load()
	w := &s.writer
	w.begin()
	w.root.indexes = slices.Clone(w.root.indexes)
	for _, def := range added {
		def.handle = &Index[T]{store: s, def: def, number: len(definitions)}
		definitions = append(definitions, def)
		w.addEntries(&entries{writtenSlots: new(bitset)})
		w.root.indexes = append(w.root.indexes, &indexVersion{owner: w.token})
	}
	s.definitions.Store(&definitions)
	s.publish("")
	return seen, nil
}

func (s *store[T]) indexUnwritten(number int, slots []uint32, values [][]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &s.writer
	w.begin()
	w.published = 0 // no reader uses the index yet, so all changes can be made in place
	for i, slot := range slots {
		if !w.entries[number].writtenSlots.has(slot) {
			w.setValues(number, slot, values[i])
		}
	}
	s.publish("")
}

// publishIndex makes the index readable if it is complete. It is incomplete if
// the index function has ended the goroutine.
func (s *store[T]) publishIndex(number int, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &s.writer
	w.begin()
	w.index(number).ready = full
	w.entries[number].writtenSlots = nil
	s.publish("")
}
