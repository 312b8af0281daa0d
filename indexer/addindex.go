package indexer

import (
	"fmt"
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
// Possible errors: ErrIndexExists, ErrNoIndexFunc.
func (ix *Indexer[T]) AddIndex(name string, f func(T) []string) (*Index[T], error) {
	return ix.store.addIndex(&definition[T]{name: name, values: f})
}

// atATime is how many objects AddIndex files while it holds the lock.
const atATime = 256

func (s *store[T]) addIndex(def *definition[T]) (*Index[T], error) {
	if def.values == nil {
		return nil, fmt.Errorf("indexer: adding index %q: %w", def.name, ErrNoIndexFunc)
	}
	number, seen, err := s.announce(def)
	if err != nil {
		return nil, err
	}
	// From here on writers file what they write, and note the slots. What
	// remains are the objects of seen in slots that nobody has written to.
	full := false
	defer func() { s.finish(number, full) }()
	n := seen.keys.bound
	slots := make([]uint32, 0, atATime)
	values := make([][]string, 0, atATime)
	for key, slot := range seen.keys.all() {
		slots = append(slots, slot)
		values = append(values, s.valuesOf(def, key, seen.objects.get(slot, n)))
		if len(slots) == atATime {
			s.fileUntouched(number, slots, values)
			slots, values = slots[:0], values[:0]
		}
	}
	s.fileUntouched(number, slots, values)
	full = true
	return &Index[T]{store: s, def: def, number: number}, nil
}

// announce makes the index known to writers but not yet to readers. It
// returns the objects that it has to be filled with.
func (s *store[T]) announce(def *definition[T]) (number int, seen *root[T], err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	definitions := *s.definitions.Load()
	if slices.ContainsFunc(definitions, func(d *definition[T]) bool { return d.name == def.name }) {
		return 0, nil, fmt.Errorf("indexer: adding index %q: %w", def.name, ErrIndexExists)
	}
	number = len(definitions)
	definitions = append(slices.Clone(definitions), def)
	s.definitions.Store(&definitions)
	seen = s.current.Load()
	w := &s.writer
	w.begin()
	w.addEntries(&entries{touched: new(bitset)})
	w.root.indexes = append(slices.Clone(w.root.indexes), &indexVersion{owner: w.token})
	s.publish("")
	return number, seen, nil
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
