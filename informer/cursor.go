package informer

// A cursor is a place in the log: everything before it has been taken.
type cursor[T any] struct {
	chunk *chunk[T]
	at    uint64
}

// take cuts the next run of entries, at most so many and as far as one chunk
// goes, and moves behind it. The entries stay the log's: they are for reading.
// Nothing means that the end has been reached.
func (c *cursor[T]) take(most int) []notification[T] {
	for {
		from, n := int(c.at-c.chunk.base), int(c.chunk.n.Load())
		if from < n {
			to := min(n, from+most)
			c.at += uint64(to - from)
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
