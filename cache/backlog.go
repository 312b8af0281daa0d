package cache

// A backlog is what waits in a RealFIFO, oldest first.
type backlog struct {
	// items has what waits from head on; before it everything is zero.
	items []queuedDelta
	head  int
}

// queuedDelta is a delta that waits. It has the key of its object, or none if the
// delta is of no single object.
type queuedDelta struct {
	Delta
	key string
}

// keptBacklog is how much room an empty backlog keeps.
const keptBacklog = 4096

func (b *backlog) len() int             { return len(b.items) - b.head }
func (b *backlog) queue() []queuedDelta { return b.items[b.head:] }

func (b *backlog) push(items ...queuedDelta) { b.items = append(b.items, items...) }

// drop takes the oldest n off. What lies before head is given back when it is
// half of all, so that a backlog that never empties does not grow for ever.
func (b *backlog) drop(n int) {
	clear(b.items[b.head : b.head+n])
	b.head += n
	switch {
	case b.len() == 0 && cap(b.items) > keptBacklog:
		*b = backlog{}
	case b.head > len(b.items)/2:
		kept := copy(b.items, b.items[b.head:])
		clear(b.items[kept:])
		b.items, b.head = b.items[:kept], 0
	}
}
