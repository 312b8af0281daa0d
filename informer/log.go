package informer

import "sync/atomic"

// A notification is one change of the store, shared by all handlers.
type notification[T any] struct {
	kind notificationKind
	// initial: the object is part of the first list of the informer.
	initial bool
	// finalStateUnknown is used for deleted only.
	finalStateUnknown bool
	// key is "" for objects of a snapshot.
	key string
	// old is the previous state that was reported to handlers, new is the new
	// state. For deleted, new is the final state, which handlers may not have seen.
	old, new T
}

type notificationKind uint8

const (
	added notificationKind = iota + 1
	updated
	deleted
	// synced marks the end of the initial list. It is the last entry of its batch
	// and has no object.
	synced
)

func (k notificationKind) String() string {
	switch k {
	case added:
		return "add"
	case updated:
		return "update"
	case deleted:
		return "delete"
	case synced:
		return "synced"
	}
	return "none"
}

// The sizes of chunks: a busy log allocates large chunks, and a log that rarely
// has more than a few entries stays small.
const (
	minChunk = 8
	maxChunk = 128
)

// A chunk is a part of the log. Each entry is written before n counts it, and is
// read without a lock after n has been read.
type chunk[T any] struct {
	// entries has its full capacity as length. It is replaced or cleared only
	// while no cursor is in the chunk, except at its end.
	entries []notification[T]
	// base is the position of the first entry. It changes together with entries.
	base uint64
	// n is the number of entries.
	n atomic.Int64
	// next is set once, when the chunk is full.
	next atomic.Pointer[chunk[T]]
}

// notificationLog has the notifications in order, once for all handlers. It
// refers to its last chunk only. A cursor refers to its chunk, so chunks that all
// cursors have passed are garbage.
//
// Only one goroutine at a time writes to the log.
type notificationLog[T any] struct {
	tail *chunk[T]
	// end is the position after the last entry, which is the number of entries
	// ever appended.
	end atomic.Uint64
}

func (g *notificationLog[T]) init() { g.tail = &chunk[T]{} }

// append copies the batch to the end of the log.
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

// skip advances the end without entries, when no cursor reads the log. The log
// must be empty.
func (g *notificationLog[T]) skip(n int) {
	g.tail.base = g.end.Add(uint64(n))
}

// release drops the entries, when all cursors are at the end. exclusive reports
// that no goroutine still uses entries that it has taken, so that their memory can
// be reused.
func (g *notificationLog[T]) release(exclusive bool) {
	n := g.tail.n.Load()
	if n == 0 {
		return
	}
	if exclusive {
		clear(g.tail.entries[:n])
	} else {
		g.tail.entries = nil
	}
	g.tail.base += uint64(n)
	g.tail.n.Store(0)
}

// atEnd returns a cursor at the end of the log.
func (g *notificationLog[T]) atEnd() cursor[T] {
	return cursor[T]{chunk: g.tail, position: g.end.Load()}
}

// A cursor is a position in the log. All entries before it have been read.
type cursor[T any] struct {
	chunk    *chunk[T]
	position uint64
}

// take returns the next entries, at most limit and at most to the end of a chunk,
// and advances the cursor. The entries still belong to the log and are read-only.
// It returns nil at the end of the log.
func (c *cursor[T]) take(limit int) []notification[T] {
	for {
		from, n := int(c.position-c.chunk.base), int(c.chunk.n.Load())
		if from < n {
			to := min(n, from+limit)
			c.position += uint64(to - from)
			return c.chunk.entries[from:to:to]
		}
		if n < len(c.chunk.entries) {
			return nil
		}
		next := c.chunk.next.Load()
		if next == nil {
			return nil
		}
		c.chunk = next
	}
}
