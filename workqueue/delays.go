package workqueue

import "slices"

// delays is the heap of items that are to be added later. A due time that
// becomes earlier is pushed again and the old heap entry left to go stale,
// so that moving through the heap touches nothing but the heap.
type delays[T comparable] struct {
	heap  []delay[T] // 4-ary, least first: four children share a cache line or two
	count int        // entries whose item is delayed; the rest of the heap is stale
	seq   uint64     // number of the last push
	alarm alarm      // set whenever the heap is not empty
}

// delay is stale unless its item is delayed, and by this very push.
type delay[T comparable] struct {
	at  int64
	seq uint64 // breaks ties: who asked first comes first
	n   *entry[T]
}

func (d delay[T]) before(e delay[T]) bool { return d.at < e.at || d.at == e.at && d.seq < e.seq }

func (d delay[T]) stale() bool {
	r := &d.n.val
	return r.state&delayed == 0 || r.due != d.at || r.seq != uint32(d.seq)
}

// minHeap is the capacity below which a heap is not worth shrinking.
const minHeap = 256

// add delays n until at, or leaves it if it comes back earlier than that.
func (d *delays[T]) add(n *entry[T], now, at int64) {
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
		d.heap = slices.Grow(d.heap, max(16, cap(d.heap)))
	}
	d.heap = append(d.heap, delay[T]{at, d.seq, n})
	d.up(len(d.heap) - 1)
	if len(d.heap) > 2*d.count+minHeap {
		d.sweep()
	}
	d.alarm.set(now, at)
}

// pop takes out the next item whose delay has ended; nil if there is none.
func (d *delays[T]) pop(now int64) *entry[T] {
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

// rearm sets the alarm for what is left.
func (d *delays[T]) rearm(now int64) {
	d.alarm.off()
	for len(d.heap) > 0 && d.heap[0].stale() {
		d.dropTop()
	}
	if len(d.heap) > 0 {
		d.alarm.set(now, d.heap[0].at)
	}
}

// clear forgets all delays, telling each item that it is no longer delayed.
func (d *delays[T]) clear(forget func(*entry[T])) {
	d.alarm.off()
	for _, e := range d.heap {
		if !e.stale() {
			e.n.val.state &^= delayed
			forget(e.n)
		}
	}
	d.heap, d.count = nil, 0
}

// sweep throws out what is stale.
func (d *delays[T]) sweep() {
	d.heap = slices.DeleteFunc(d.heap, delay[T].stale)
	for i := (len(d.heap) - 2) / 4; i >= 0; i-- {
		d.down(i, d.heap[i])
	}
}

func (d *delays[T]) up(i int) {
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

// down puts e at i or below, where it belongs.
func (d *delays[T]) down(i int, e delay[T]) {
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

func (d *delays[T]) dropTop() {
	last := len(d.heap) - 1
	e := d.heap[last]
	d.heap[last] = delay[T]{}
	d.heap = d.heap[:last]
	if last > 0 {
		d.down(0, e)
	}
	if cap(d.heap) > minHeap && last*4 < cap(d.heap) {
		d.heap = append(make([]delay[T], 0, cap(d.heap)/2), d.heap...)
	}
}
