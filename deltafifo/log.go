package deltafifo

import "sync/atomic"

// A node is one entry of the log: a delta, or a marker.
type node[T any] struct {
	// prev and next link the queued nodes, in the order of arrival. next also
	// links the nodes of a delivery, in the same order.
	prev, next *node[T]
	// nextOfKey is the next queued node of the same key.
	nextOfKey *node[T]
	// state is that of the delta's key; nil for a marker.
	state *keyState[T]

	object T
	// seq is the sequence number: it grows along the log and is never reused.
	seq uint64
	// versionBefore is the queue's newest version when the node arrived. Until
	// the node is processed, the watermark cannot be above it.
	versionBefore string
	// version is the version of a marker.
	version string

	kind              DeltaType
	marker            MarkerKind
	finalStateUnknown bool
	// final is the final state, if it arrived after this Deleted, whose final
	// state was unknown, and before this Deleted was delivered. Pop delivers it;
	// a batch does not, because it would overtake what arrived in between.
	final *T
	// relist is set on the deltas and the end marker of a Replace. They are
	// queued together, so they are adjacent in the log, the marker last.
	relist bool
}

// A log is the list of queued nodes, in the order of arrival.
type log[T any] struct {
	head, tail *node[T]
	// firstFree is where the search for a free key begins: no delta before it
	// has a free key. nil: no delta in the log has one.
	firstFree *node[T]
	// deltas counts the nodes that are not markers. It is written under the
	// queue's lock, and read without it by Len.
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
	if l.firstFree == nil {
		l.firstFree = n
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
	if l.firstFree == n {
		l.firstFree = n.next
	}
	if n.state != nil {
		l.deltas.Add(-1)
	}
	n.prev, n.next = nil, nil
}

// cut removes all nodes up to and including last; deltas is the number of them
// that are not markers. The removed nodes keep their links. All keys before
// firstFree are busy and the cut includes firstFree, so the search for a free
// key may begin at the new head.
func (l *log[T]) cut(last *node[T], deltas int) *node[T] {
	first := l.head
	l.head = last.next
	if l.head == nil {
		l.tail = nil
	} else {
		l.head.prev = nil
	}
	l.firstFree = l.head
	l.deltas.Add(-int64(deltas))
	last.next = nil
	return first
}

// keyFreed records that the key of n has become free; n is its oldest delta.
func (l *log[T]) keyFreed(n *node[T]) {
	if l.firstFree == nil || n.seq < l.firstFree.seq {
		l.firstFree = n
	}
}
