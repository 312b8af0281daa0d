package apitest

import "sort"

// change is one step of an object: was is nil for a creation.
type change struct{ now, was *record }

// bytes that a change keeps in memory while the table is done with them.
func (c change) bytes() (n int) {
	if c.was != nil {
		n = len(c.was.raw)
	}
	if c.now.deleted {
		n += len(c.now.raw)
	}
	return n
}

// history is the changes of a table, oldest first, as far as they are
// remembered.
type history struct {
	limit int // negative is none
	// room is how many bytes the changes may keep, 0 any; held is how many they
	// do. The newest one is kept however large it is.
	room, held int
	// ring holds count changes from first on, around its end; its length is a
	// power of two.
	ring         []change
	first, count int
	// dropped is the version of the newest change that was forgotten: of what
	// came after it, everything is known.
	dropped uint64
}

func (h *history) at(i int) *change { return &h.ring[(h.first+i)&(len(h.ring)-1)] }

func (h *history) add(c change) {
	switch {
	case h.limit == 0:
		h.dropped = c.now.version
		return
	case h.limit > 0 && h.count == h.limit:
		h.dropFirst()
	case h.count == len(h.ring):
		h.grow()
	}
	h.count++
	*h.at(h.count - 1) = c
	h.held += c.bytes()
	for h.room > 0 && h.held > h.room && h.count > 1 {
		h.dropFirst()
	}
}

func (h *history) grow() {
	ring := make([]change, max(16, 2*len(h.ring)))
	for i := range h.count {
		ring[i] = *h.at(i)
	}
	h.ring, h.first = ring, 0
}

func (h *history) dropFirst() {
	oldest := h.at(0)
	h.dropped = oldest.now.version
	h.held -= oldest.bytes()
	*oldest = change{}
	h.first = (h.first + 1) & (len(h.ring) - 1)
	h.count--
}

// after is where the changes after a version begin.
func (h *history) after(version uint64) int {
	return sort.Search(h.count, func(i int) bool { return h.at(i).now.version > version })
}

// undo takes the newest change back out.
func (h *history) undo() change {
	newest := h.at(h.count - 1)
	undone := *newest
	h.held -= undone.bytes()
	*newest = change{}
	h.count--
	return undone
}
