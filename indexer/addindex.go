package indexer

import (
	"fmt"
	"maps"
	"slices"
)

// AddIndex adds an index over what f says of each object: an object is found
// under each value that f returns for it. It can be called at any time, by any
// goroutine; the objects that are there already are in the index when it
// returns. Neither readers nor writers wait while f looks at them.
//
// f is called once for each object that is stored, by whoever stores it, and by
// who asks a Snapshot that is older than the index. It must not keep the object
// or change it. If it panics, the object is in no bucket of this index, and
// Index.Panics counts it.
//
// Possible errors: ErrIndexExists, ErrNoIndexFunc, ErrReadOnly.
func (ix *Indexer[T]) AddIndex(name string, f func(T) []string) (*Index[T], error) {
	def := &definition[T]{name: name, values: f}
	if err := ix.writes.addIndexes(def); err != nil {
		return nil, err
	}
	return def.handle, nil
}

// AddIndexes adds an index for each function, by its name, as AddIndex does: all
// of them, or none if there is an error.
//
// Possible errors: ErrIndexExists, ErrNoIndexFunc, ErrReadOnly.
func (ix *Indexer[T]) AddIndexes(functions map[string]func(T) []string) error {
	var definitions []*definition[T]
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		definitions = append(definitions, &definition[T]{name: name, values: functions[name]})
	}
	return ix.writes.addIndexes(definitions...)
}

// atATime is how many objects AddIndex files while it holds the lock.
const atATime = 256

// addIndexes of a nil store is that of who must not write: an index calls a
// function for each write.
func (s *store[T]) addIndexes(added ...*definition[T]) error {
	if s == nil {
		return ErrReadOnly
	}
	for _, def := range added {
		if def.values == nil {
			return fmt.Errorf("indexer: adding index %q: %w", def.name, ErrNoIndexFunc)
		}
	}
	seen, err := s.announce(added)
	if err != nil {
		return err
	}
	// From here on writers file what they write, and note the slots. What
	// remains are the objects of seen in slots that nobody has written to.
	filled := 0
	defer func() {
		for i, def := range added {
			s.finish(def.handle.number, i < filled)
		}
	}()
	for _, def := range added {
		s.fill(def, seen)
		filled++
	}
	return nil
}

// fill files the objects of seen in the index of def.
func (s *store[T]) fill(def *definition[T], seen *root[T]) {
	n := seen.keys.bound
	slots := make([]uint32, 0, atATime)
	values := make([][]string, 0, atATime)
	for key, slot := range seen.keys.all() {
		slots = append(slots, slot)
		values = append(values, s.valuesOf(def, key, seen.objects.get(slot, n)))
		if len(slots) == atATime {
			s.fileUntouched(def.handle.number, slots, values)
			slots, values = slots[:0], values[:0]
		}
	}
	s.fileUntouched(def.handle.number, slots, values)
}

// announce makes indexes known to writers but not yet to readers, and gives
// them their numbers. It returns the objects that they have to be filled with.
func (s *store[T]) announce(added []*definition[T]) (seen *root[T], err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	definitions := slices.Clone(*s.definitions.Load())
	for _, def := range added {
		if slices.ContainsFunc(definitions, func(d *definition[T]) bool { return d.name == def.name }) {
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
		w.addEntries(&entries{touched: new(bitset)})
		w.root.indexes = append(w.root.indexes, &indexVersion{owner: w.token})
	}
	s.definitions.Store(&definitions)
	s.publish("")
	return seen, nil
}

func (s *store[T]) fileUntouched(number int, slots []uint32, values [][]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &s.writer
	w.begin()
	w.published = 0 // nobody reads the index yet: all can be done in place
	for i, slot := range slots {
		if !w.entries[number].touched.has(slot) {
			w.file(number, slot, values[i])
		}
	}
	s.publish("")
}

// finish makes the index readable, if it is full. It is not when f has ended
// the goroutine.
func (s *store[T]) finish(number int, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &s.writer
	w.begin()
	w.index(number).ready = full
	w.entries[number].touched = nil
	s.publish("")
}
