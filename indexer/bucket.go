package indexer

import "sync/atomic"

// bucket is the set of the slots that an index has filed under one value, in
// no order. It follows the table's rule: a slot that is new in the store is
// put behind the end in place, and readers of older versions skip it, because
// it is above their bound; every other change is made in a copy.
type bucket struct {
	owner token
	// n is how many slots are in it. As in a page, what is below n never
	// changes in place.
	n atomic.Uint32
	// head holds the first slots, so that the bucket of a value that few
	// objects have is one small block; rest is nil until it is full.
	head [headSize]uint32
	rest *vector[uint32]
}

// headSize makes a bucket 40 bytes, a size that the allocator has rounds to.
const headSize = 5

func (b *bucket) at(p, n uint32) uint32 {
	if p < headSize {
		return b.head[p]
	}
	return b.rest.get(p-headSize, n-headSize)
}

// push adds a slot behind the end, in place. If the bucket is not the
// writer's, neither is what push adds to it: readers reach that too.
func (b *bucket) push(slot uint32, by token) {
	if b.owner != by {
		by = nobody
	}
	n := b.n.Load()
	switch {
	case n < headSize:
		b.head[n] = slot
	default:
		if n == headSize {
			b.rest = new(vector[uint32])
		}
		b.rest.push(n-headSize, slot, by)
	}
	b.n.Store(n + 1)
}

// removeAt takes out what is at position p, and returns the slot that stands
// there now: the last one has taken its place. The bucket is the writer's.
func (b *bucket) removeAt(p uint32, by token) (moved uint32) {
	n := b.n.Load()
	moved = b.at(n-1, n)
	if p < headSize {
		b.head[p] = moved
	} else {
		b.rest.set(p-headSize, n-headSize, moved, by)
	}
	if n > headSize {
		b.rest.pop(n-headSize, by)
	}
	b.n.Store(n - 1)
	return moved
}

// own returns b if it is the writer's already, else a copy that is.
func (b *bucket) own(by token) *bucket {
	if b.owner == by {
		return b
	}
	mine := &bucket{owner: by, head: b.head}
	n := b.n.Load()
	if n > headSize {
		rest := *b.rest
		rest.trim(n - headSize)
		mine.rest = &rest
	}
	mine.n.Store(n)
	return mine
}

// count is how many slots of the bucket are below bound. Those that are not
// stand at the end: they were put there after the version was published.
func (b *bucket) count(bound uint32) int {
	n := b.n.Load()
	for all := n; n > 0 && b.at(n-1, all) >= bound; {
		n--
	}
	return int(n)
}

// chunk returns slots from position p on, as many as lie side by side. n is
// what the caller has loaded: the bucket may have grown since.
func (b *bucket) chunk(p, n uint32) []uint32 {
	if p < headSize {
		return b.head[p:min(n, headSize)]
	}
	p, n = p-headSize, n-headSize
	return b.rest.leafAt(p, n).items[p%leafSize : min(n-p+p%leafSize, leafSize)]
}
