package deltafifo

import "sync/atomic"

// A node is one entry of the log: a delta, or a marker.
type node[T any] struct {
	// prev and next link the nodes that have not been handed out, in arrival
	// order; next also links the nodes of one handout, in that same order.
	prev, next *node[T]
	// chain is the next node of the same key that has not been handed out.
	chain *node[T]
	// state is that of the delta's key; nil makes the node a marker.
	state *keyState[T]

	object T
	// seq is the arrival number: it grows along the log and is never reused.
	seq uint64
	// before is the queue's newest version when the node arrived. As long as
	// the node is not processed, that is the most the queue can vouch for.
	before string
	// version is what a marker brings.
	version string

	kind              DeltaType
	marker            MarkerKind
	finalStateUnknown bool
	// relist is set on the deltas and the end marker of a Replace. They are
	// filed together, so they are neighbours in the log, the marker last.
	relist bool
}

// A log is the list of what has not been handed out, in arrival order.
type log[T any] struct {
	head, tail *node[T]
	// free is where the search for a free key begins: no delta before it is
	// of a key that is free. nil: no delta in the log is.
	free *node[T]
	// deltas counts the nodes that are not markers. It changes under the
	// queue's lock; who only asks how many there are takes none.
	deltas atomic.Int64
}

func (l *log[T]) append(n *node[T]) {
	n.prev, n.next = l.tail, nil
	if l.tail == nil {
		l.head = n
	} else {
		l.tail.next = n
	}
	l.tail = n
	if l.free == nil {
		l.free = n
	}
	if n.state != nil {
		l.deltas.Add(1)
	}
}

func (l *log[T]) remove(n *node[T]) {
	if n.prev == nil {
		l.head = n.next
	} else {
		n.prev.next = n.next
	}
	if n.next == nil {
		l.tail = n.prev
	} else {
		n.next.prev = n.prev
	}
	if l.free == n {
		l.free = n.next
	}
	if n.state != nil {
		l.deltas.Add(-1)
	}
	n.prev, n.next = nil, nil
}

// cut takes everything up to and including last off the log; deltas says how
// many of the nodes are not markers. The cut keeps its links. The first delta
// before which all are of busy keys is in it, so the search for a free key may
// begin at what is left.
func (l *log[T]) cut(last *node[T], deltas int) *node[T] {
	first := l.head
	l.head = last.next
	if l.head == nil {
		l.tail = nil
	} else {
		l.head.prev = nil
	}
	l.free = l.head
	l.deltas.Add(-int64(deltas))
	last.next = nil
	return first
}

// freed notes that the key of n has become free, n being its oldest delta.
func (l *log[T]) freed(n *node[T]) {
	if l.free == nil || n.seq < l.free.seq {
		l.free = n
	}
}
