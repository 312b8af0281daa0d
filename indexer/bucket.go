package indexer

import "sync/atomic"

// bucket is the set of slots that an index has under one value, in no
// particular order. It is changed like a page of a table: a slot that is new in
// the store is appended in place, and readers of older versions skip it because
// it is above their bound. All other changes are made in a copy.
type bucket struct {
	owner token
	// n is the number of slots. The slots below n never change in place, like
	// the entries of a page.
	n atomic.Uint32
	// holes is the number of slots that have no object in the newest version:
	// see writer.holes. It is increased in place, before the version with the
	// new hole is published, and decreased only in copies. A reader that loads
	// 0 need not look for holes in its version. Other values have no meaning
	// for readers.
	holes atomic.Uint32
	// head has the first slots, so that a bucket with few objects is one small
	// block. rest is nil until head is full.
	head [headSize]uint32
	rest *vector[uint32]
}

// headSize makes a bucket 48 bytes large, which is a size class of the
// allocator.
const headSize = 6

func (b *bucket) at(p, n uint32) uint32 {
	if p < headSize {
		return b.head[p]
	}
	return b.rest.get(p-headSize, n-headSize)
}

// push appends a slot in place. If the writer does not own the bucket, the new
// nodes are not owned by it either, because readers can reach them.
func (b *bucket) push(slot uint32, owner token) {
	if b.owner != owner {
		owner = noToken
	}
	n := b.n.Load()
	switch {
	case n < headSize:
		b.head[n] = slot
	default:
		if n == headSize {
			b.rest = new(vector[uint32])
		}
		b.rest.push(n-headSize, slot, owner)
	}
	b.n.Store(n + 1)
}

// removeAt removes the slot at position p by moving the last slot there, and
// returns the moved slot. The writer must own the bucket.
func (b *bucket) removeAt(p uint32, owner token) (moved uint32) {
	n := b.n.Load()
	moved = b.at(n-1, n)
	if p < headSize {
		b.head[p] = moved
	} else {
		b.rest.set(p-headSize, n-headSize, moved, owner)
	}
	if n > headSize {
		b.rest.pop(n-headSize, owner)
	}
	b.n.Store(n - 1)
	return moved
}

// writable returns b if the writer owns it, and otherwise a copy that the writer
// owns.
func (b *bucket) writable(owner token) *bucket {
	if b.owner == owner {
		return b
	}
	owned := &bucket{owner: owner, head: b.head}
	n := b.n.Load()
	if n > headSize {
		rest := *b.rest
		rest.trim(n - headSize)
		owned.rest = &rest
	}
	owned.n.Store(n)
	owned.holes.Store(b.holes.Load())
	return owned
}

// count returns the number of slots below bound, including holes. All slots at
// or above bound are at the end, because they were appended after the version
// was published.
func (b *bucket) count(bound uint32) int {
	n := b.n.Load()
	for all := n; n > 0 && b.at(n-1, all) >= bound; {
		n--
	}
	return int(n)
}

// chunk returns adjacent slots from position p on. n is the length that the
// caller has loaded; the bucket may have grown since.
func (b *bucket) chunk(p, n uint32) []uint32 {
	if p < headSize {
		return b.head[p:min(n, headSize)]
	}
	p, n = p-headSize, n-headSize
	return b.rest.leafAt(p, n).items[p%leafSize : min(n-p+p%leafSize, leafSize)]
}
