package workqueue

import "hash/maphash"

const (
	minCells = 16  // the smallest table; a power of two, as every size is
	spares   = 256 // how many released nodes a table keeps for reuse
	chunk    = 8   // how many nodes are made at a time; one that is in use keeps them all
)

// node is what is known of one item. Its address does not change while the
// item is in the table, so lists and heaps may point at it.
type node[T comparable, V any] struct {
	item T
	hash uint64
	val  V
}

// table finds the node of an item. It is written here, and not a map of Go,
// for three reasons that each show in the benchmarks: find-or-insert is one
// probe, the hash is computed before the owner's lock is taken (so an item
// that cannot be hashed panics in its caller's hands, with nothing touched),
// and the memory follows the number of items down again.
//
// Open addressing, linear probing, no tombstones: remove closes the gap.
type table[T comparable, V any] struct {
	seed  maphash.Seed // never changes after init
	cells []cell[T, V] // length is a power of two; at most four fifths in use
	live  int
	free  []*node[T, V] // released nodes, emptied; at most spares
}

// cell repeats the hash so that a probe passes a stranger without following
// its pointer.
type cell[T comparable, V any] struct {
	hash uint64
	node *node[T, V] // nil: the cell is empty
}

func (t *table[T, V]) init() {
	t.seed = maphash.MakeSeed()
	t.cells = make([]cell[T, V], minCells)
}

// hash needs no lock once init has returned.
func (t *table[T, V]) hash(item T) uint64 { return maphash.Comparable(t.seed, item) }

// find returns nil for an item that the table does not hold.
func (t *table[T, V]) find(hash uint64, item T) *node[T, V] {
	mask := uint64(len(t.cells) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		c := &t.cells[i]
		if c.node == nil || c.hash == hash && c.node.item == item {
			return c.node
		}
	}
}

// findOrAdd returns the item's node, new and zero if there was none.
func (t *table[T, V]) findOrAdd(hash uint64, item T) *node[T, V] {
	if (t.live+1)*5 > len(t.cells)*4 {
		t.resize(len(t.cells) * 2)
	}
	mask := uint64(len(t.cells) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		c := &t.cells[i]
		if c.node == nil {
			n := t.take()
			n.item, n.hash = item, hash
			c.hash, c.node = hash, n
			return n
		}
		if c.hash == hash && c.node.item == item {
			return c.node
		}
	}
}

// remove forgets n, which must be in the table.
func (t *table[T, V]) remove(n *node[T, V]) {
	mask := uint64(len(t.cells) - 1)
	gap := n.hash & mask
	for t.cells[gap].node != n {
		gap = (gap + 1) & mask
	}
	// Whoever was pushed past the gap by its tenant moves back into it.
	for i := (gap + 1) & mask; t.cells[i].node != nil; i = (i + 1) & mask {
		home := t.cells[i].hash & mask
		if (i-home)&mask >= (i-gap)&mask {
			t.cells[gap] = t.cells[i]
			gap = i
		}
	}
	t.cells[gap] = cell[T, V]{}
	t.release(n)
	if len(t.cells) > 4*minCells && t.live*8 < len(t.cells) {
		t.resize(len(t.cells) / 4)
	}
}

func (t *table[T, V]) resize(size int) {
	old := t.cells
	t.cells = make([]cell[T, V], size)
	mask := uint64(size - 1)
	for _, c := range old {
		if c.node == nil {
			continue
		}
		i := c.hash & mask
		for t.cells[i].node != nil {
			i = (i + 1) & mask
		}
		t.cells[i] = c
	}
}

func (t *table[T, V]) take() *node[T, V] {
	t.live++
	if len(t.free) == 0 {
		fresh := make([]node[T, V], chunk)
		for i := range fresh {
			t.free = append(t.free, &fresh[i])
		}
	}
	last := len(t.free) - 1
	n := t.free[last]
	t.free = t.free[:last]
	return n
}

// release keeps n for reuse, emptied so that it holds on to nothing of the
// user's. Beyond the spares it is left to the garbage collector.
func (t *table[T, V]) release(n *node[T, V]) {
	t.live--
	*n = node[T, V]{}
	if len(t.free) < spares {
		t.free = append(t.free, n)
	}
}
