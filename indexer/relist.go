package indexer

import (
	"fmt"

	"github.com/thinformer/thinformer/internal/resourceversion"
)

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

// apply replaces the contents of the store by the collected items.
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
	s.publishWrite(version)
}

// prepare finds the items whose version is already stored, and computes the
// index values of the others, in their order. Then it takes the writer's lock.
//
// If version is older than that of the store, versions have gone back and may
// have been reused. Then no item counts as already stored.
func (r *relist[T]) prepare(version string) (same bitset, values [][]string, unlock func()) {
	s := r.store
	seen := s.rootToCompare()
	if seen != nil && resourceversion.IsOlder(version, seen.version) {
		seen = nil
	}
	for tries := 4; ; tries-- {
		definitions := s.definitions.Load()
		values = make([][]string, 0, len(r.items)*len(*definitions))
		same = nil
		var before bitset // slots of earlier items
		for i, obj := range r.items {
			if stored, slot, ok := s.stored(seen, r.keys[i]); ok {
				repeated := before.has(slot)
				before.set(slot)
				if !repeated && s.sameVersion(stored, obj) {
					same.set(uint32(i))
					continue
				}
			}
			values = s.values(values, *definitions, r.keys[i], obj)
		}
		if s.lock(definitions) {
			if seen == nil || r.stillEqual(same, seen) {
				return same, values, s.mu.Unlock
			}
			s.mu.Unlock()
		}
		// Another writer has interfered. After some attempts every item is
		// stored without a comparison.
		if seen = s.rootToCompare(); tries == 0 || seen != nil && resourceversion.IsOlder(version, seen.version) {
			seen = nil
		}
	}
}

// stillEqual reports whether the store is unchanged since seen for the items in
// same.
func (r *relist[T]) stillEqual(same bitset, seen *root[T]) bool {
	now := r.store.current.Load()
	if now == seen {
		return true
	}
	for i, key := range r.keys {
		if same.has(uint32(i)) && !now.unchangedSince(seen, key) {
			return false
		}
	}
	return true
}

// sameVersion reports whether a and b are the same version of the same object.
func (s *store[T]) sameVersion(a, b T) bool {
	uidA, versionA := s.meta(a)
	uidB, versionB := s.meta(b)
	return uidA == uidB && versionA == versionB && uidA != "" && versionA != ""
}
