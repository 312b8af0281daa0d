package workqueue

import "time"

// Snapshot has the items of a queue at one instant. Each list is limited; the counts
// are not.
type Snapshot[T comparable] struct {
	// Waiting are the items that Get returns next, in this order, unless further
	// items are added. An overdue item of a [PriorityQueue] may precede them. A custom
	// [Queue] keeps its order to itself: its items are in no order.
	Waiting      []T
	WaitingCount int
	// Processing are the items between Get and Done, in no order. DirtyCount is the
	// number of them that are dirty.
	Processing                  []ProcessingItem[T]
	ProcessingCount, DirtyCount int
	// Delayed are the items that will be added, earliest first. A delayed item may
	// also wait or be processed.
	Delayed      []DelayedItem[T]
	DelayedCount int
}

// ProcessingItem is an item that a worker processes.
type ProcessingItem[T comparable] struct {
	Item T
	// Dirty: the item was added again, and its Done queues it.
	Dirty bool
}

// DelayedItem is an item that will be added at a time.
type DelayedItem[T comparable] struct {
	Item T
	Due  time.Time
}

// Snapshotter is implemented by [Typed] and [PriorityQueue]. A queue that wraps one of
// them can implement it, so that [SnapshotOf] finds it.
type Snapshotter[T comparable] interface {
	// Snapshot returns at most limit items of each kind: only the counts if limit is
	// 0, and all items if it is negative. It changes nothing.
	//
	// All parts are of the same instant. The lock of the queue is held for a time that
	// depends on the limit and not on the number of items. With a custom [Queue] it
	// also depends on the largest number of items, of which up to all are read.
	Snapshot(limit int) Snapshot[T]
}

var (
	_ Snapshotter[int] = (*Typed[int])(nil)
	_ Snapshotter[int] = (*PriorityQueue[int])(nil)
)

// SnapshotOf returns a snapshot of a queue of this package or of another [Snapshotter],
// and false for other queues. limit is that of [Snapshotter].
//
// A delaying queue around a queue that is not a Typed, or that has its own Clock, stores
// the delayed items separately. They are read before the others, so that an item whose
// delay ends meanwhile may be in both lists or in none.
func SnapshotOf[T comparable](queue TypedInterface[T], limit int) (s Snapshot[T], ok bool) {
	switch queue := queue.(type) {
	case *rateLimitingQueue[T]:
		return SnapshotOf[T](queue.TypedDelayingInterface, limit)
	case *delayFront[T]:
		delayed := queue.delayed(limit)
		if s, ok = SnapshotOf(queue.TypedInterface, limit); ok {
			s.Delayed, s.DelayedCount = append(delayed.Delayed, s.Delayed...), delayed.DelayedCount+s.DelayedCount
		}
		return s, ok
	case Snapshotter[T]:
		return queue.Snapshot(limit), true
	}
	return s, false
}

// Snapshot implements [Snapshotter].
func (q *PriorityQueue[T]) Snapshot(limit int) Snapshot[T] { return q.queue.Snapshot(limit) }

// Snapshot implements [Snapshotter].
func (q *Typed[T]) Snapshot(limit int) Snapshot[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := Snapshot[T]{
		WaitingCount: q.queue.len(), ProcessingCount: q.processing, DirtyCount: int(q.addedAgain.Load()),
		DelayedCount: q.delays.count,
	}
	s.Waiting = make([]T, 0, atMost(limit, s.WaitingCount))
	if cap(s.Waiting) > 0 {
		q.queue.each(func(n *entry[T]) bool {
			s.Waiting = append(s.Waiting, n.item)
			return len(s.Waiting) < cap(s.Waiting)
		})
	}
	s.Processing = make([]ProcessingItem[T], 0, atMost(limit, s.ProcessingCount))
	if cap(s.Processing) > 0 {
		q.eachInProgress(func(n *entry[T]) bool {
			s.Processing = append(s.Processing, ProcessingItem[T]{n.item, n.val.state&addedAgain != 0})
			return len(s.Processing) < cap(s.Processing)
		})
	}
	s.Delayed = q.delays.earliest(atMost(limit, s.DelayedCount), q.clock.base)
	return s
}

// delayed returns a Snapshot that has only the delayed items of the front.
func (q *delayFront[T]) delayed(limit int) Snapshot[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.delays.count
	return Snapshot[T]{Delayed: q.delays.earliest(atMost(limit, n), q.clock.base), DelayedCount: n}
}

// atMost returns how many of n items a snapshot with this limit has.
func atMost(limit, n int) int {
	if limit < 0 {
		return n
	}
	return min(limit, n)
}

// earliest returns the first n items by due time. It reads the heap from its top: an
// entry is read after its parent, which is never later.
func (d *delayHeap[T]) earliest(n int, base time.Time) []DelayedItem[T] {
	items := make([]DelayedItem[T], 0, n)
	var next indexHeap[T] // entries whose parents have been read
	if n > 0 && len(d.heap) > 0 {
		next.push(d.heap, 0)
	}
	for len(items) < n && len(next) > 0 {
		i := next.pop(d.heap)
		if e := d.heap[i]; !e.stale() {
			items = append(items, DelayedItem[T]{e.n.item, base.Add(time.Duration(e.at))})
		}
		for child := 4*i + 1; child < min(4*i+5, len(d.heap)); child++ {
			next.push(d.heap, child)
		}
	}
	return items
}

// indexHeap is a binary heap of indices of a delayHeap, by due time.
type indexHeap[T comparable] []int

func (h *indexHeap[T]) push(of []heapEntry[T], index int) {
	*h = append(*h, index)
	all := *h
	for i := len(all) - 1; i > 0; {
		parent := (i - 1) / 2
		if !of[all[i]].before(of[all[parent]]) {
			break
		}
		all[i], all[parent] = all[parent], all[i]
		i = parent
	}
}

func (h *indexHeap[T]) pop(of []heapEntry[T]) int {
	all := *h
	top, last := all[0], len(all)-1
	all[0] = all[last]
	all = all[:last]
	*h = all
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child < min(2*i+3, last); child++ {
			if of[all[child]].before(of[all[least]]) {
				least = child
			}
		}
		if least == i {
			return top
		}
		all[i], all[least] = all[least], all[i]
		i = least
	}
}
