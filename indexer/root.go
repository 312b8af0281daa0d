package indexer

import "iter"

// root is one version of the store: objects, keys and index entries. A
// published root never changes. A reader that holds one has a consistent view,
// and keeps alive the memory that later versions do not share.
type root[T any] struct {
	// keys maps a key to the slot of its object. Its bound is the number of
	// slots, including free ones.
	keys table
	// objects has a hole for each free slot.
	objects vector[T]
	// indexes are in the order in which they were added. Roots share the slice
	// and its elements, which are therefore never changed in place.
	indexes []*indexVersion
	// version is the resource version that the last writer has set.
	version string
	// revision counts the writes of objects.
	revision uint64
}

// indexVersion is the part of a root that belongs to one index.
type indexVersion struct {
	owner token
	// values maps a value to the id of its bucket.
	values  table
	buckets vector[*bucket]
	// ready is set when the index contains all objects. Until then it must not
	// be read.
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

// unchangedSince reports whether the object of key is the same in r and was. It
// compares the nodes that contain the object, so a change of a neighboring
// object counts as a change.
func (r *root[T]) unchangedSince(was *root[T], key string) bool {
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

// allKeys yields the keys. The iteration keeps no objects alive.
func (r *root[T]) allKeys() iter.Seq[string] { return r.keys.allKeys() }

// count returns the number of objects in a bucket in this version. It does not
// examine the objects if the bucket has no holes.
func (r *root[T]) count(b *bucket) int {
	if b.holes.Load() == 0 {
		return b.count(r.keys.bound)
	}
	count := 0
	for range r.slots(b) {
		count++
	}
	return count
}

// slots yields the slots of a bucket that have an object in this version.
func (r *root[T]) slots(b *bucket) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		bound, holes := r.keys.bound, b.holes.Load() > 0
		for p, n := uint32(0), b.n.Load(); p < n; {
			slots := b.chunk(p, n)
			for _, slot := range slots {
				if slot >= bound || holes && r.objects.isHole(slot, bound) {
					continue
				}
				if !yield(slot) {
					return
				}
			}
			p += uint32(len(slots))
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
