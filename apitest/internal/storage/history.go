package storage

import "sort"

// Change is a change of one object. was is nil for a creation.
type Change struct{ New, Old *Record }

// bytes returns how much memory a change retains in addition to the table.
func (c Change) bytes() (n int) {
	if c.Old != nil {
		n = len(c.Old.Raw)
	}
	if c.New.Deleted {
		n += len(c.New.Raw)
	}
	return n
}

// history holds the recent changes of a table, oldest first.
type history struct {
	maxChanges int // negative is unlimited
	// maxBytes bounds the bytes that the changes retain, 0 for no bound; heldBytes
	// is the current amount. The newest change is always kept.
	maxBytes, heldBytes int
	// ring holds count changes from first on, and wraps around at its end. Its
	// length is a power of two.
	ring         []Change
	first, count int
	// dropped is the version of the newest change that was removed. All later
	// changes are known.
	dropped uint64
}

func (h *history) at(i int) *Change { return &h.ring[(h.first+i)&(len(h.ring)-1)] }

func (h *history) add(c Change) {
	switch {
	case h.maxChanges == 0:
		h.dropped = c.New.Version
		return
	case h.maxChanges > 0 && h.count == h.maxChanges:
		h.dropFirst()
	case h.count == len(h.ring):
		h.grow()
	}
	h.count++
	*h.at(h.count - 1) = c
	h.heldBytes += c.bytes()
	for h.maxBytes > 0 && h.heldBytes > h.maxBytes && h.count > 1 {
		h.dropFirst()
	}
}

func (h *history) grow() {
	ring := make([]Change, max(16, 2*len(h.ring)))
	for i := range h.count {
		ring[i] = *h.at(i)
	}
	h.ring, h.first = ring, 0
}

func (h *history) dropFirst() {
	oldest := h.at(0)
	h.dropped = oldest.New.Version
	h.heldBytes -= oldest.bytes()
	*oldest = Change{}
	h.first = (h.first + 1) & (len(h.ring) - 1)
	h.count--
}

// after returns the index of the first change after a version.
func (h *history) after(version uint64) int {
	return sort.Search(h.count, func(i int) bool { return h.at(i).New.Version > version })
}

// undo removes and returns the newest change.
func (h *history) undo() Change {
	newest := h.at(h.count - 1)
	undone := *newest
	h.heldBytes -= undone.bytes()
	*newest = Change{}
	h.count--
	return undone
}
