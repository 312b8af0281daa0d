package workqueue

import "slices"

// overdueTurn is how often, at least, a Get serves the longest waiting item
// while that is overdue: every fourth time. Three quarters of the workers'
// time stay with the highest priority whatever the backlog of the others.
const overdueTurn = 4

// ranks is the line of a priority queue: one list a priority, and beside
// them one of all items by arrival. Every step costs the same however many
// items wait; only the first item of a priority, and the last, pay for the
// number of priorities.
type ranks[T comparable] struct {
	age int64 // how long an item waits before it is overdue

	classes []class[T] // by rank, lowest first; none is empty
	arrived list[T]    // all of them, first come first; by byTime
	size    int
	turn    int // how many have been popped since an overdue one was
}

// class is the list of the items that wait with one rank, by byTurn.
type class[T comparable] struct {
	rank int32
	list list[T]
}

var _ line[int] = (*ranks[int])(nil)

func (r *ranks[T]) push(n *entry[T]) {
	r.join(n)
	r.arrived.pushBack(n, byTime)
	r.size++
}

// touch moves an item to a higher rank, behind those who are there, and
// never to a lower one. Its age stays.
func (r *ranks[T]) touch(n *entry[T], priority int32) {
	if priority > n.val.rank {
		r.leave(n)
		n.val.rank = priority
		r.join(n)
	}
}

func (r *ranks[T]) pop(now int64) *entry[T] {
	n := r.arrived.head
	r.turn++
	if r.turn >= overdueTurn && now-n.val.added >= r.age {
		r.turn = 0
	} else {
		n = r.classes[len(r.classes)-1].list.head
	}
	r.leave(n)
	r.arrived.remove(n, byTime)
	r.size--
	return n
}

func (r *ranks[T]) len() int { return r.size }

func (r *ranks[T]) find(rank int32) (int, bool) {
	return slices.BinarySearchFunc(r.classes, rank, func(c class[T], rank int32) int {
		switch {
		case c.rank < rank:
			return -1
		case c.rank > rank:
			return 1
		}
		return 0
	})
}

func (r *ranks[T]) join(n *entry[T]) {
	i, ok := r.find(n.val.rank)
	if !ok {
		r.classes = slices.Insert(r.classes, i, class[T]{rank: n.val.rank})
	}
	r.classes[i].list.pushBack(n, byTurn)
}

func (r *ranks[T]) leave(n *entry[T]) {
	i, _ := r.find(n.val.rank)
	r.classes[i].list.remove(n, byTurn)
	if r.classes[i].list.head == nil {
		r.classes = slices.Delete(r.classes, i, i+1)
	}
}
