package workqueue

import "sort"

// overdueInterval is the number of Gets after which the item that has waited
// longest is returned if it is overdue. The highest priority keeps three
// quarters of the Gets, whatever the backlog of the others.
const overdueInterval = 4

// priorityList is the entryQueue of a priority queue. It has one list per
// priority and one list of all items by arrival. The cost of an operation does
// not depend on the number of items. Adding the first item of a priority, or
// removing the last, depends on the number of priorities.
type priorityList[T comparable] struct {
	age int64 // time after which a waiting item is overdue

	levels       []priorityLevel[T] // by priority, lowest first; none is empty
	byArrival    list[T]            // all items in the order of arrival; by timeLink
	size         int
	sinceOverdue int // number of pops since the last overdue item
}

// priorityLevel is the list of the waiting items of one priority, by queueLink.
type priorityLevel[T comparable] struct {
	priority int32
	list     list[T]
}

var _ entryQueue[int] = (*priorityList[int])(nil)

func (r *priorityList[T]) push(n *entry[T]) {
	r.insert(n)
	r.byArrival.pushBack(n, timeLink)
	r.size++
}

// touch moves an item to a higher priority, behind the items that already have
// it, and never to a lower one. It does not change the age of the item.
func (r *priorityList[T]) touch(n *entry[T], priority int32) {
	if priority > n.val.priority {
		r.remove(n)
		n.val.priority = priority
		r.insert(n)
	}
}

func (r *priorityList[T]) pop(now int64) *entry[T] {
	n := r.byArrival.head
	r.sinceOverdue++
	if r.sinceOverdue >= overdueInterval && now-n.val.added >= r.age {
		r.sinceOverdue = 0
	} else {
		n = r.levels[len(r.levels)-1].list.head
	}
	r.remove(n)
	r.byArrival.remove(n, timeLink)
	r.size--
	return n
}

func (r *priorityList[T]) len() int { return r.size }

func (r *priorityList[T]) each(yield func(*entry[T]) bool) {
	for i := len(r.levels) - 1; i >= 0 && r.levels[i].list.each(queueLink, yield); i-- {
	}
}

func (r *priorityList[T]) find(rank int32) (int, bool) {
	i := sort.Search(len(r.levels), func(i int) bool { return r.levels[i].priority >= rank })
	return i, i < len(r.levels) && r.levels[i].priority == rank
}

func (r *priorityList[T]) insert(n *entry[T]) {
	i, ok := r.find(n.val.priority)
	if !ok {
		r.levels = append(r.levels, priorityLevel[T]{})
		copy(r.levels[i+1:], r.levels[i:])
		r.levels[i] = priorityLevel[T]{priority: n.val.priority}
	}
	r.levels[i].list.pushBack(n, queueLink)
}

func (r *priorityList[T]) remove(n *entry[T]) {
	i, _ := r.find(n.val.priority)
	r.levels[i].list.remove(n, queueLink)
	if r.levels[i].list.head == nil {
		last := len(r.levels) - 1
		copy(r.levels[i:], r.levels[i+1:])
		r.levels[last] = priorityLevel[T]{}
		r.levels = r.levels[:last]
	}
}
