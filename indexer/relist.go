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
	same, values, unlock := r.prepare(version)
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
//
// At a version older than the store's, versions have gone back and may have been
// given out again: nothing is the same then.
func (r *relist[T]) prepare(version string) (same bitset, values [][]string, unlock func()) {
	s := r.store
	seen := s.seen()
	if seen != nil && isOlder(version, seen.version) {
		seen = nil
	}
	for tries := 4; ; tries-- {
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
			if seen == nil || r.stillSame(same, seen) {
				return same, values, s.mu.Unlock
			}
			s.mu.Unlock()
		}
		// Somebody else writes: look again, but not for ever. In the end every
		// item is stored, whatever is there.
		if seen = s.seen(); tries == 0 || seen != nil && isOlder(version, seen.version) {
			seen = nil
		}
	}
}

// stillSame reports whether the store still has what it had in seen for the
// items that were found to be the same.
func (r *relist[T]) stillSame(same bitset, seen *root[T]) bool {
	now := r.store.current.Load()
	if now == seen {
		return true
	}
	for i, key := range r.keys {
		if same.has(uint32(i)) && !now.holdsAs(seen, key) {
			return false
		}
	}
	return true
}

// same reports whether a and b are one object in one version.
func (s *store[T]) same(a, b T) bool {
	uidA, versionA := s.meta(a)
	uidB, versionB := s.meta(b)
	return uidA == uidB && versionA == versionB && uidA != "" && versionA != ""
}
