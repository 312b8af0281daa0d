package workqueue

// delayHeap is a heap of items to add later. When a delay becomes shorter, the
// item is pushed again and the old entry becomes stale, so that no entry has to
// be found and moved.
type delayHeap[T comparable] struct {
	heap  []heapEntry[T] // 4-ary min-heap: four children share one or two cache lines
	count int            // number of entries that are not stale
	seq   uint64         // sequence number of the last push
	timer deadlineTimer  // set while the heap is not empty
}

// heapEntry is stale unless its item is delayed and this is the item's last
// push.
type heapEntry[T comparable] struct {
	at  int64
	seq uint64 // breaks ties: the earlier call comes first
	n   *entry[T]
}

func (d heapEntry[T]) before(e heapEntry[T]) bool {
	return d.at < e.at || d.at == e.at && d.seq < e.seq
}

func (d heapEntry[T]) stale() bool {
	r := &d.n.val
	return r.state&delayed == 0 || r.due != d.at || r.seq != uint32(d.seq)
}

// minHeap is the capacity below which the heap is not shrunk.
const minHeap = 256

// add delays n until at, unless n already has an earlier due time.
func (d *delayHeap[T]) add(n *entry[T], now, at int64) {
	r := &n.val
	if r.state&delayed != 0 {
		if r.due <= at {
			return
		}
		d.count--
	}
	r.state |= delayed
	r.due = at
	d.count++
	d.seq++
	r.seq = uint32(d.seq)
	if len(d.heap) == cap(d.heap) {
		d.heap = append(make([]heapEntry[T], 0, len(d.heap)+max(16, cap(d.heap))), d.heap...)
	}
	d.heap = append(d.heap, heapEntry[T]{at, d.seq, n})
	d.up(len(d.heap) - 1)
	if len(d.heap) > 2*d.count+minHeap {
		d.removeStale()
	}
	d.timer.set(now, at)
}

// pop removes and returns the next item whose delay has ended, or nil if there
// is none.
func (d *delayHeap[T]) pop(now int64) *entry[T] {
	for len(d.heap) > 0 && d.heap[0].at <= now {
		top := d.heap[0]
		d.dropTop()
		if !top.stale() {
			top.n.val.state &^= delayed
			d.count--
			return top.n
		}
	}
	return nil
}

// resetTimer sets the timer to the earliest remaining due time.
func (d *delayHeap[T]) resetTimer(now int64) {
	d.timer.stop()
	for len(d.heap) > 0 && d.heap[0].stale() {
		d.dropTop()
	}
	if len(d.heap) > 0 {
		d.timer.set(now, d.heap[0].at)
	}
}

// clear removes all delays and calls forget with each item that was delayed.
func (d *delayHeap[T]) clear(forget func(*entry[T])) {
	d.timer.stop()
	for _, e := range d.heap {
		if !e.stale() {
			e.n.val.state &^= delayed
			forget(e.n)
		}
	}
	d.heap, d.count = nil, 0
}

// removeStale removes the stale entries.
func (d *delayHeap[T]) removeStale() {
	remaining := d.heap[:0]
	for _, e := range d.heap {
		if !e.stale() {
			remaining = append(remaining, e)
		}
	}
	clear(d.heap[len(remaining):])
	d.heap = remaining
	for i := (len(d.heap) - 2) / 4; i >= 0; i-- {
		d.down(i, d.heap[i])
	}
}

func (d *delayHeap[T]) up(i int) {
	e := d.heap[i]
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(d.heap[parent]) {
			break
		}
		d.heap[i] = d.heap[parent]
		i = parent
	}
	d.heap[i] = e
}

// down puts e at position i and moves it down until the heap is ordered.
func (d *delayHeap[T]) down(i int, e heapEntry[T]) {
	h := d.heap
	for {
		first := 4*i + 1
		if first >= len(h) {
			break
		}
		least := first
		for c := first + 1; c < min(first+4, len(h)); c++ {
			if h[c].before(h[least]) {
				least = c
			}
		}
		if !h[least].before(e) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = e
}

func (d *delayHeap[T]) dropTop() {
	last := len(d.heap) - 1
	e := d.heap[last]
	d.heap[last] = heapEntry[T]{}
	d.heap = d.heap[:last]
	if last > 0 {
		d.down(0, e)
	}
	if cap(d.heap) > minHeap && last*4 < cap(d.heap) {
		d.heap = append(make([]heapEntry[T], 0, cap(d.heap)/2), d.heap...)
	}
}
