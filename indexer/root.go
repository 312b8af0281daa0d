package indexer

import "iter"

// root is one version of everything: objects, keys and index entries. A
// published root never changes, so who has one has a consistent view for as
// long as it wants, at the price of the memory that later versions no longer
// share.
type root[T any] struct {
	// keys says which slot an object lives in. Its bound is the number of
	// slots, with those that are free.
	keys table
	// objects has a hole for each free slot.
	objects vector[T]
	// indexes stand in the order in which they were added. The slice and what
	// it points to are shared between roots, and so never changed in place.
	indexes []*indexVersion
	// version is what the last writer said that it brings the store to.
	version string
}

// indexVersion is the part of a root that belongs to one index.
type indexVersion struct {
	owner token
	// values says which bucket belongs to a value.
	values  table
	buckets vector[*bucket]
	// ready is set when all objects are in it. Until then nobody may read it.
	ready bool
}

func (r *root[T]) len() int { return int(r.keys.live) }

func (r *root[T]) get(key string) (T, bool) {
	if slot, ok := r.keys.find(key, hashOf(key)); ok {
		return r.objects.get(slot, r.keys.bound), true
	}
	var none T
	return none, false
}

// holdsAs reports whether r has under key what was has, as far as the node
// says that it lives in: at worst a change nearby looks like one of it.
func (r *root[T]) holdsAs(was *root[T], key string) bool {
	if r == was {
		return true
	}
	h := hashOf(key)
	slot, ok := r.keys.find(key, h)
	slotThen, okThen := was.keys.find(key, h)
	if ok != okThen || slot != slotThen {
		return false
	}
	return !ok || r.objects.leafAt(slot, r.keys.bound) == was.objects.leafAt(slot, was.keys.bound)
}

func (r *root[T]) all() iter.Seq[T] {
	return func(yield func(T) bool) {
		n := r.keys.bound
		for i := uint32(0); i < n; i += leafSize {
			l := r.objects.leafAt(i, n)
			holes := l.holes
			for j, obj := range l.items[:min(n-i, leafSize)] {
				if holes>>j&1 == 0 && !yield(obj) {
					return
				}
			}
		}
	}
}

// allKeys holds the keys alone, however slowly it is gone through, and no object.
func (r *root[T]) allKeys() iter.Seq[string] {
	keys := r.keys
	return func(yield func(string) bool) {
		for key := range keys.all() {
			if !yield(key) {
				return
			}
		}
	}
}

// bucket returns the bucket of a value, nil if the index has none.
func (v *indexVersion) bucket(value string) *bucket {
	id, ok := v.values.find(value, hashOf(value))
	if !ok {
		return nil
	}
	return v.buckets.get(id, v.values.bound)
}
