package workqueue

// state is the set of things that are true of an item. An item of which
// nothing is true is not in the table.
type state uint8

const (
	waiting state = 1 << iota // in line; never together with working
	working                   // with a worker, between Get and Done
	again                     // added while working: back in line at Done; only with working
	delayed                   // has a due time; may stand beside any of the others
)

// record is all that the queue knows of one item.
type record[T comparable] struct {
	state state

	// rank is the priority with which the item waits, is in work, or will
	// come back from its delay.
	rank int32
	// then is the priority with which it comes back at Done; only with again.
	then int32

	seq     uint32 // low half of the number of the heap entry that counts; only with delayed
	due     int64  // when the delay ends; only with delayed
	added   int64  // when it was first added since it was last handed out; only where times are taken
	started int64  // when it was handed out; only with working, and where times are taken

	links [2]link[T]
}

// entry is an item with its record.
type entry[T comparable] = node[T, record[T]]

// link places an entry in one list.
type link[T comparable] struct{ prev, next *node[T, record[T]] }

// Each entry can stand in two lists at once, and a list knows which of the
// two links is its own.
const (
	byTurn = iota // the line that the item waits in
	byTime        // waiting: by arrival, in a priority queue; working: by start, in a measured queue
)

// list is a doubly linked list through the entries themselves: no
// allocation, removal from the middle for free.
type list[T comparable] struct {
	head, tail *entry[T]
}

func (l *list[T]) pushBack(n *entry[T], which int) {
	n.val.links[which] = link[T]{prev: l.tail}
	if l.tail == nil {
		l.head = n
	} else {
		l.tail.val.links[which].next = n
	}
	l.tail = n
}

func (l *list[T]) remove(n *entry[T], which int) {
	at := n.val.links[which]
	n.val.links[which] = link[T]{}
	if at.prev == nil {
		l.head = at.next
	} else {
		at.prev.val.links[which].next = at.next
	}
	if at.next == nil {
		l.tail = at.prev
	} else {
		at.next.val.links[which].prev = at.prev
	}
}
