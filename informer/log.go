package informer

import "sync/atomic"

// The sizes of chunks: a busy log takes memory in large pieces, and one that
// seldom has more than a few notifications at once stays small.
const (
	minChunk = 8
	maxChunk = 128
)

// A chunk is a piece of the log. Each entry is written once, before n counts
// it, and is read without a lock by whoever has seen that n.
type chunk[T any] struct {
	// entries has room up to its length. It is replaced or cleared only while
	// no cursor is in the chunk but at its end.
	entries []notification[T]
	// base is the position of the first entry. It changes together with
	// entries.
	base uint64
	// n is how many entries there are.
	n atomic.Int64
	// next is set once, when the chunk is full.
	next atomic.Pointer[chunk[T]]
}

// notificationLog is what has happened, in order, once for all handlers. It
// knows its end only: what all cursors have passed is garbage, since a chunk
// is held by those that stand before it.
//
// One goroutine at a time writes it.
type notificationLog[T any] struct {
	tail *chunk[T]
	// end is the position behind the last entry, which is how many there have
	// been.
	end atomic.Uint64
}

func (g *notificationLog[T]) init() { g.tail = &chunk[T]{} }

// append copies the batch behind the end.
func (g *notificationLog[T]) append(batch []notification[T]) {
	for rest := batch; len(rest) > 0; {
		n := int(g.tail.n.Load())
		if n == len(g.tail.entries) {
			g.grow()
			n = 0
		}
		copied := copy(g.tail.entries[n:], rest)
		g.tail.n.Store(int64(n + copied))
		rest = rest[copied:]
	}
	g.end.Add(uint64(len(batch)))
}

func (g *notificationLog[T]) grow() {
	size := min(max(2*len(g.tail.entries), minChunk), maxChunk)
	next := &chunk[T]{
		entries: make([]notification[T], size),
		base:    g.tail.base + uint64(len(g.tail.entries)),
	}
	g.tail.next.Store(next)
	g.tail = next
}

// skip counts what nobody is going to read from the log, which has been
// forgotten before.
func (g *notificationLog[T]) skip(n int) {
	g.tail.base = g.end.Add(uint64(n))
}

// forget lets go of the entries, which every cursor has passed. alone says
// that nobody works on a run that was cut from them either, so that their
// place can be used again.
func (g *notificationLog[T]) forget(alone bool) {
	n := g.tail.n.Load()
	if n == 0 {
		return
	}
	if alone {
		clear(g.tail.entries[:n])
	} else {
		g.tail.entries = nil
	}
	g.tail.base += uint64(n)
	g.tail.n.Store(0)
}

// atEnd is a cursor behind the last entry.
func (g *notificationLog[T]) atEnd() cursor[T] {
	return cursor[T]{chunk: g.tail, at: g.end.Load()}
}
