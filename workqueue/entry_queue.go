package workqueue

// entryQueue holds the waiting items in the order in which Get returns them.
// Its methods are called with the lock of the queue held. The caller maintains
// the flags of the entries.
type entryQueue[T comparable] interface {
	// push adds n, which is not in the queue.
	push(n *entry[T])
	// touch is called when an item in the queue is added again.
	touch(n *entry[T], priority int32)
	// pop removes and returns the next entry. It is called only if len is not
	// 0.
	pop(now int64) *entry[T]
	len() int
	// each calls yield with the entries until it returns false, in the order in
	// which pop returns them, as far as that is known. There is at least one.
	each(yield func(*entry[T]) bool)
}

// fifoQueue hands out items in the order of arrival.
type fifoQueue[T comparable] struct {
	list list[T]
	size int
}

var _ entryQueue[int] = (*fifoQueue[int])(nil)

func (f *fifoQueue[T]) push(n *entry[T]) {
	f.list.pushBack(n, queueLink)
	f.size++
}

func (f *fifoQueue[T]) touch(*entry[T], int32) {}

func (f *fifoQueue[T]) pop(int64) *entry[T] {
	n := f.list.head
	f.list.remove(n, queueLink)
	f.size--
	return n
}

func (f *fifoQueue[T]) len() int { return f.size }

func (f *fifoQueue[T]) each(yield func(*entry[T]) bool) { f.list.each(queueLink, yield) }

// customQueue adapts a Queue from the configuration.
type customQueue[T comparable] struct {
	queue Queue[T]
	items *table[T, record[T]] // of the Typed; maps the items that the Queue returns to entries
}

var _ entryQueue[int] = (*customQueue[int])(nil)

func (c *customQueue[T]) push(n *entry[T])           { c.queue.Push(n.item) }
func (c *customQueue[T]) touch(n *entry[T], _ int32) { c.queue.Touch(n.item) }
func (c *customQueue[T]) len() int                   { return c.queue.Len() }

// pop creates an entry if the Queue returns an item that was never pushed. Such
// an item is returned like any other.
func (c *customQueue[T]) pop(int64) *entry[T] {
	item := c.queue.Pop()
	return c.items.findOrAdd(c.items.hash(item), item)
}

// each finds the items in the table, since a Queue cannot be read.
func (c *customQueue[T]) each(yield func(*entry[T]) bool) {
	c.items.each(func(n *entry[T]) bool { return n.val.state&waiting == 0 || yield(n) })
}
