package workqueue

import "math"

// maxInProgress is the largest number of items that inProgress records. A queue with so
// many workers is unusual, and a slot takes only two bytes of each record.
const maxInProgress = math.MaxUint16

// inProgress finds the items that are being processed, for Snapshot. It is a slice and
// not a list, since Get and Done of a list write to the records of other workers' items,
// which costs time if the workers run on several cores.
type inProgress[T comparable] struct {
	slots []*entry[T] // nil: a free slot
	free  []uint16    // the free slots
}

// add records n, unless all slots are in use.
func (p *inProgress[T]) add(n *entry[T]) {
	if last := len(p.free) - 1; last >= 0 {
		n.val.slot = p.free[last] + 1
		p.free = p.free[:last]
		p.slots[n.val.slot-1] = n
	} else if len(p.slots) < maxInProgress {
		p.slots = append(p.slots, n)
		n.val.slot = uint16(len(p.slots))
	}
}

func (p *inProgress[T]) remove(n *entry[T]) {
	if n.val.slot > 0 {
		p.slots[n.val.slot-1] = nil
		p.free = append(p.free, n.val.slot-1)
		n.val.slot = 0
	}
}

// eachInProgress calls yield with the items being processed until it returns false. It
// reads all items of the queue if some of them are not recorded.
func (q *Typed[T]) eachInProgress(yield func(*entry[T]) bool) {
	if q.processing > len(q.inProgress.slots)-len(q.inProgress.free) {
		q.items.each(func(n *entry[T]) bool { return n.val.state&processing == 0 || yield(n) })
		return
	}
	for _, n := range q.inProgress.slots {
		if n != nil && !yield(n) {
			return
		}
	}
}
