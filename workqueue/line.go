package workqueue

// line is the order in which waiting items are handed out. The queue asks it
// under its lock, and marks the entries itself.
type line[T comparable] interface {
	// push puts n, which is not in line, at its place.
	push(n *entry[T])
	// touch tells that an item in line was added again.
	touch(n *entry[T], priority int32)
	// pop takes out the next entry; len was not 0.
	pop(now int64) *entry[T]
	len() int
}

// fifo is first come, first served.
type fifo[T comparable] struct {
	list list[T]
	size int
}

var _ line[int] = (*fifo[int])(nil)

func (f *fifo[T]) push(n *entry[T]) {
	f.list.pushBack(n, byTurn)
	f.size++
}

func (f *fifo[T]) touch(*entry[T], int32) {}

func (f *fifo[T]) pop(int64) *entry[T] {
	n := f.list.head
	f.list.remove(n, byTurn)
	f.size--
	return n
}

func (f *fifo[T]) len() int { return f.size }

// custom is the order of a Queue that the user brought.
type custom[T comparable] struct {
	queue Queue[T]
	items *table[T, record[T]] // the owner's: a Queue returns items, the queue needs entries
}

var _ line[int] = (*custom[int])(nil)

func (c *custom[T]) push(n *entry[T])           { c.queue.Push(n.item) }
func (c *custom[T]) touch(n *entry[T], _ int32) { c.queue.Touch(n.item) }
func (c *custom[T]) len() int                   { return c.queue.Len() }

// pop makes an entry for an item that the Queue returned without ever having
// been given it: it is handed out like any other.
func (c *custom[T]) pop(int64) *entry[T] {
	item := c.queue.Pop()
	return c.items.findOrAdd(c.items.hash(item), item)
}
