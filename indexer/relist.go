package indexer

import "fmt"

// relist collects the items of one Replace.
type relist[T any] struct {
	store  *store[T]
	keys   []string
	items  []T
	failed []error
}

func (r *relist[T]) add(obj T) {
	key, err := r.store.key(obj)
	if err != nil {
		r.failed = append(r.failed, fmt.Errorf("item %d: %w", len(r.keys)+len(r.failed), err))
		return
	}
	r.keys = append(r.keys, key)
	r.items = append(r.items, obj)
}

// apply makes what was collected all that is stored.
func (r *relist[T]) apply(version string) {
	s := r.store
	same, values, unlock := r.prepare()
	defer unlock()
	w := &s.writer
	w.begin()
	w.root.keys.reserve(len(r.items), w.token)
	var keep bitset
	for i, obj := range r.items {
		var slot uint32
		if same.has(uint32(i)) {
			slot, _ = w.root.keys.find(r.keys[i], hashOf(r.keys[i]))
		} else {
			slot, _, _ = w.put(r.keys[i], obj, values)
			values = values[len(w.entries):]
		}
		keep.set(slot)
	}
	w.retain(keep)
	s.publish(version)
}

// prepare finds the items that are stored already, in that very version, and
// computes the index values of the others, in their order. Then it takes the
// writer's lock.
func (r *relist[T]) prepare() (same bitset, values [][]string, unlock func()) {
	s := r.store
	seen := s.seen()
	for {
		definitions := s.definitions.Load()
		values = make([][]string, 0, len(r.items)*len(*definitions))
		same = nil
		var before bitset // slots of items that came before
		for i, obj := range r.items {
			if stored, slot, ok := s.stored(seen, r.keys[i]); ok {
				repeated := before.has(slot)
				before.set(slot)
				if !repeated && s.same(stored, obj) {
					same.set(uint32(i))
					continue
				}
			}
			values = s.values(values, *definitions, r.keys[i], obj)
		}
		if s.lock(definitions) {
			if seen == nil || s.current.Load() == seen {
				return same, values, s.mu.Unlock
			}
			s.mu.Unlock()
		}
		// Somebody else writes. What was the same may not be so any more, so
		// from here on every item is stored, whatever is there.
		seen = nil
	}
}

// same reports whether a and b are one object in one version.
func (s *store[T]) same(a, b T) bool {
	uidA, versionA := s.metaOf(a)
	uidB, versionB := s.metaOf(b)
	return uidA == uidB && versionA == versionB && uidA != "" && versionA != ""
}
