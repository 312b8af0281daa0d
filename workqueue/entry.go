package workqueue

// state is a set of flags of an item. An item without any flag is removed from
// the table.
type state uint8

const (
	waiting    state = 1 << iota // in the queue; never together with processing
	processing                   // between Get and Done
	addedAgain                   // added while processing: queued again at Done; only with processing
	delayed                      // has a due time; may be combined with any other flag
)

// record is the complete state of an item.
type record[T comparable] struct {
	state state

	// slot is 1 + the index of the item in the inProgress of the queue; only with
	// processing. 0: it is not there.
	slot uint16

	// priority is the current priority of the item, which it keeps during a
	// delay.
	priority int32
	// nextPriority is the priority with which Done queues the item again; only
	// with addedAgain.
	nextPriority int32

	seq     uint32 // low half of the sequence number of the valid heap entry; only with delayed
	due     int64  // when the delay ends; only with delayed
	added   int64  // time of the first Add since the last Get; only if times are recorded
	started int64  // time of the last Get; only with processing, if times are recorded

	links [2]link[T]
}

// entry is an item with its record.
type entry[T comparable] = node[T, record[T]]

// link holds the neighbors of an entry in one list.
type link[T comparable] struct{ prev, next *node[T, record[T]] }

// An entry can be in two lists at once. Each list uses one of the two links.
const (
	queueLink = iota // the waiting items
	timeLink         // waiting items by arrival (priority queue), or processed items by start (metrics)
)

// list is an intrusive doubly linked list. It does not allocate, and removal
// from the middle takes constant time.
type list[T comparable] struct {
	head, tail *entry[T]
}

func (l *list[T]) pushBack(n *entry[T], kind int) {
	n.val.links[kind] = link[T]{prev: l.tail}
	if l.tail == nil {
		l.head = n
	} else {
		l.tail.val.links[kind].next = n
	}
	l.tail = n
}

func (l *list[T]) remove(n *entry[T], kind int) {
	neighbors := n.val.links[kind]
	n.val.links[kind] = link[T]{}
	if neighbors.prev == nil {
		l.head = neighbors.next
	} else {
		neighbors.prev.val.links[kind].next = neighbors.next
	}
	if neighbors.next == nil {
		l.tail = neighbors.prev
	} else {
		neighbors.next.val.links[kind].prev = neighbors.prev
	}
}

// each calls yield with the entries until it returns false, and reports whether it has
// not.
func (l *list[T]) each(kind int, yield func(*entry[T]) bool) bool {
	for n := l.head; n != nil; n = n.val.links[kind].next {
		if !yield(n) {
			return false
		}
	}
	return true
}
