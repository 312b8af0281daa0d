package workqueue

import "hash/maphash"

const (
	minTableSize = 16  // the smallest size; a power of two, as every size
	maxFreeNodes = 256 // number of released nodes that a table keeps for reuse
	nodeChunk    = 8   // number of nodes allocated at a time; one that is in use keeps them all in memory
)

// node holds the value of one item. Its address does not change while the item
// is in the table, so lists and heaps may point to it.
type node[T comparable, V any] struct {
	item T
	hash uint64
	val  V
}

// table maps an item to its node. It is used instead of a Go map for three
// reasons, each of which shows in the benchmarks: find-or-insert takes one
// probe; the hash is computed before the caller takes its lock, so that an item
// that cannot be hashed panics before anything is changed; and memory shrinks
// with the number of items.
//
// It uses open addressing with linear probing and no tombstones: remove closes
// the gap.
type table[T comparable, V any] struct {
	seed  maphash.Seed      // never changes after init
	slots []tableSlot[T, V] // length is a power of two; at most four fifths in use
	count int
	free  []*node[T, V] // released nodes, zeroed; at most maxFreeNodes
}

// tableSlot contains the hash so that a probe compares it without following the
// pointer.
type tableSlot[T comparable, V any] struct {
	hash uint64
	node *node[T, V] // nil: the slot is empty
}

func (t *table[T, V]) init() {
	t.seed = maphash.MakeSeed()
	t.slots = make([]tableSlot[T, V], minTableSize)
}

// hash may be called without a lock after init.
func (t *table[T, V]) hash(item T) uint64 { return maphash.Comparable(t.seed, item) }

// find returns the node of the item, or nil if it is not in the table.
func (t *table[T, V]) find(hash uint64, item T) *node[T, V] {
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		c := &t.slots[i]
		if c.node == nil || c.hash == hash && c.node.item == item {
			return c.node
		}
	}
}

// findOrAdd returns the node of the item. A new node has the zero value.
func (t *table[T, V]) findOrAdd(hash uint64, item T) *node[T, V] {
	if (t.count+1)*5 > len(t.slots)*4 {
		t.resize(len(t.slots) * 2)
	}
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		c := &t.slots[i]
		if c.node == nil {
			n := t.allocate()
			n.item, n.hash = item, hash
			c.hash, c.node = hash, n
			return n
		}
		if c.hash == hash && c.node.item == item {
			return c.node
		}
	}
}

// remove removes n, which must be in the table.
func (t *table[T, V]) remove(n *node[T, V]) {
	mask := uint64(len(t.slots) - 1)
	gap := n.hash & mask
	for t.slots[gap].node != n {
		gap = (gap + 1) & mask
	}
	// Move each entry of the same probe sequence that belongs at or before the
	// gap into it.
	for i := (gap + 1) & mask; t.slots[i].node != nil; i = (i + 1) & mask {
		home := t.slots[i].hash & mask
		if (i-home)&mask >= (i-gap)&mask {
			t.slots[gap] = t.slots[i]
			gap = i
		}
	}
	t.slots[gap] = tableSlot[T, V]{}
	t.release(n)
	if len(t.slots) > 4*minTableSize && t.count*8 < len(t.slots) {
		t.resize(len(t.slots) / 4)
	}
}

func (t *table[T, V]) resize(size int) {
	old := t.slots
	t.slots = make([]tableSlot[T, V], size)
	mask := uint64(size - 1)
	for _, c := range old {
		if c.node == nil {
			continue
		}
		i := c.hash & mask
		for t.slots[i].node != nil {
			i = (i + 1) & mask
		}
		t.slots[i] = c
	}
}

func (t *table[T, V]) allocate() *node[T, V] {
	t.count++
	if len(t.free) == 0 {
		fresh := make([]node[T, V], nodeChunk)
		for i := range fresh {
			t.free = append(t.free, &fresh[i])
		}
	}
	last := len(t.free) - 1
	n := t.free[last]
	t.free = t.free[:last]
	return n
}

// release zeroes n, so that it references no user data, and keeps up to
// maxFreeNodes nodes for reuse.
func (t *table[T, V]) release(n *node[T, V]) {
	t.count--
	*n = node[T, V]{}
	if len(t.free) < maxFreeNodes {
		t.free = append(t.free, n)
	}
}

// each calls yield with the nodes, in no order, until it returns false.
func (t *table[T, V]) each(yield func(*node[T, V]) bool) {
	for _, slot := range t.slots {
		if slot.node != nil && !yield(slot.node) {
			return
		}
	}
}
