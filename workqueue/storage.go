package workqueue

// Queue is the order of the waiting items, for those who want another than
// first come, first served. Its methods are called with the lock of the
// queue held, one at a time: they MUST NOT call back into it and MUST NOT
// block. It never sees an item twice before it has popped it.
//
// Who wants priorities needs no Queue: see [Priority].
type Queue[T comparable] interface {
	// Touch is called when an item that is in the Queue is added again. It
	// may move it.
	Touch(item T)
	// Push puts in an item that is not there.
	Push(item T)
	// Len is the number of items in the Queue.
	Len() int
	// Pop takes out the item that is next. It is called only when Len is
	// not 0.
	Pop() (item T)
}

// DefaultQueue returns a Queue that is first come, first served. Its memory
// follows its length down.
func DefaultQueue[T comparable]() Queue[T] { return new(ring[T]) }

const minRing = 16

// ring is a FIFO in a circular buffer.
type ring[T comparable] struct {
	buf  []T // length is 0 or a power of two
	head int // the next to pop
	size int
}

var _ Queue[int] = (*ring[int])(nil)

func (r *ring[T]) Touch(T) {}

func (r *ring[T]) Len() int { return r.size }

func (r *ring[T]) Push(item T) {
	if r.size == len(r.buf) {
		r.resize(max(minRing, 2*len(r.buf)))
	}
	r.buf[(r.head+r.size)&(len(r.buf)-1)] = item
	r.size++
}

// Pop on an empty ring returns the zero item.
func (r *ring[T]) Pop() (item T) {
	if r.size == 0 {
		return item
	}
	var zero T
	item, r.buf[r.head] = r.buf[r.head], zero
	r.head = (r.head + 1) & (len(r.buf) - 1)
	r.size--
	if len(r.buf) > minRing && r.size*4 < len(r.buf) {
		r.resize(len(r.buf) / 2)
	}
	return item
}

func (r *ring[T]) resize(size int) {
	buf := make([]T, size)
	n := copy(buf[:r.size], r.buf[r.head:])
	copy(buf[n:r.size], r.buf)
	r.buf, r.head = buf, 0
}
