package workqueue

// Queue stores the waiting items in a custom order. Its methods are called one
// at a time with the lock of the queue held: they MUST NOT call back into the
// queue and MUST NOT block. An item is not pushed again before it is popped.
//
// Priorities do not need a custom Queue: see [PriorityQueue].
type Queue[T comparable] interface {
	// Touch is called when an item that is in the Queue is added again. It may
	// change the position of the item.
	Touch(item T)
	// Push adds an item that is not in the Queue.
	Push(item T)
	// Len returns the number of items in the Queue.
	Len() int
	// Pop removes and returns the next item. It is called only if Len is not 0.
	Pop() (item T)
}

// DefaultQueue returns a Queue that hands out items in the order of arrival.
// Its memory shrinks when its length does.
func DefaultQueue[T comparable]() Queue[T] { return new(ringBuffer[T]) }

const minRingBuffer = 16

// ringBuffer is a FIFO queue in a circular buffer.
type ringBuffer[T comparable] struct {
	buf  []T // length is 0 or a power of two
	head int // index of the next item to pop
	size int
}

var _ Queue[int] = (*ringBuffer[int])(nil)

func (r *ringBuffer[T]) Touch(T) {}

func (r *ringBuffer[T]) Len() int { return r.size }

func (r *ringBuffer[T]) Push(item T) {
	if r.size == len(r.buf) {
		r.resize(max(minRingBuffer, 2*len(r.buf)))
	}
	r.buf[(r.head+r.size)&(len(r.buf)-1)] = item
	r.size++
}

// Pop returns the zero item if the buffer is empty.
func (r *ringBuffer[T]) Pop() (item T) {
	if r.size == 0 {
		return item
	}
	var zero T
	item, r.buf[r.head] = r.buf[r.head], zero
	r.head = (r.head + 1) & (len(r.buf) - 1)
	r.size--
	if len(r.buf) > minRingBuffer && r.size*4 < len(r.buf) {
		r.resize(len(r.buf) / 2)
	}
	return item
}

func (r *ringBuffer[T]) resize(size int) {
	buf := make([]T, size)
	n := copy(buf[:r.size], r.buf[r.head:])
	copy(buf[n:r.size], r.buf)
	r.buf, r.head = buf, 0
}
